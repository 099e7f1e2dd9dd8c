-- What the pages of a series show of a result: outcome of the boot, patch of
-- the image, symbols that were dropped, outcome of each patch. A result names
-- every unit of a build; to take it apart for each of a hundred jobs is most
-- of such a page. NULL: the result is from before, take it apart.
ALTER TABLE attempt ADD COLUMN digest TEXT;
