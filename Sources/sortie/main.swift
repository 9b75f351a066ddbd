print("sortie")
