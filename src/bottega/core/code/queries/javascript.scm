; What only JavaScript's grammar calls so.
(formal_parameters [(identifier) (object_pattern) (array_pattern) (rest_pattern)] @name @parameter)
(formal_parameters (assignment_pattern left: (_) @name right: (_) @default) @parameter)
(class_heritage (_) @base)
(field_definition property: (_) @member)
(field_definition property: (_) @name value: (arrow_function) @definition.function)
