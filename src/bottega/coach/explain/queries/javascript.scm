(class_heritage) @concept.inheritance
