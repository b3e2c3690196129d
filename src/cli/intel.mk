# pmg-intel and the commands it alone links.
