; What TypeScript has beyond JavaScript.
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(function_declaration return_type: (_) @result) @definition.function
(generator_function_declaration return_type: (_) @result) @definition.function
(method_definition return_type: (_) @result) @definition.function
(variable_declarator value: (arrow_function return_type: (_) @result) @definition.function)
(public_field_definition name: (_) @name value: (arrow_function) @definition.function)
(public_field_definition name: (_) @member)
(interface_body [(property_signature name: (_) @member) (method_signature name: (_) @member)])
(object_type [(property_signature name: (_) @member) (method_signature name: (_) @member)])
(enum_body name: (_) @member)
(enum_assignment name: (_) @member)
(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)

(required_parameter pattern: (_) @name) @parameter
(optional_parameter pattern: (_) @name) @parameter
(required_parameter type: (type_annotation) @type) @parameter
(optional_parameter type: (type_annotation) @type) @parameter
(required_parameter value: (_) @default) @parameter
(type_parameter name: (type_identifier) @made)
(type_identifier) @use.type
(type_predicate name: (identifier) @label)
