// DocumentTree
