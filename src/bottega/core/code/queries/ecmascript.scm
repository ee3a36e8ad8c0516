; What JavaScript and TypeScript have in common.

; Definitions
(function_declaration "async"? @async name: (identifier) @name) @definition.function
(generator_function_declaration "async"? @async "*" @generator name: (identifier) @name) @definition.function
(function_expression name: (identifier) @name) @definition.function
(method_definition name: (_) @name) @definition.function
(method_definition "async" @async) @definition.function
(method_definition "*" @generator) @definition.function
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @definition.function)
(variable_declarator name: (identifier) @name
  value: [(arrow_function "async" @async) (function_expression "async" @async)] @definition.function)
(pair key: (_) @name value: [(arrow_function) (function_expression)] @definition.function)
(class_declaration name: (_) @name) @definition.class
[(arrow_function) (function_expression) (generator_function)] @lambda
[(arrow_function "async" @async) (function_expression "async" @async)] @lambda
(call_expression function: (identifier) @_name (#any-of? @_name "it" "test" "describe")) @test

; Parameters
(arrow_function parameter: (identifier) @name @parameter)
(catch_clause parameter: (identifier) @made)
(comment) @comment

; Imports
(import_statement (import_clause (identifier) @name) source: (string) @module) @import
(import_statement (import_clause (namespace_import (identifier) @name)) source: (string) @module) @import
(import_statement (import_clause (named_imports (import_specifier name: (identifier) @name !alias)))
  source: (string) @module) @import
(import_statement (import_clause (named_imports (import_specifier alias: (identifier) @name)))
  source: (string) @module) @import
(variable_declarator name: (identifier) @name
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module))
  (#eq? @_require "require")) @import
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module))
  (#eq? @_require "require")) @import

; Calls and names
(call_expression function: (_) @function) @call
(new_expression constructor: (_) @function) @call
(identifier) @use
(shorthand_property_identifier) @use
(import_specifier name: (identifier) @label)
(shorthand_property_identifier_pattern) @made
(variable_declarator name: (identifier) @made)
(array_pattern (identifier) @made)
(array_pattern (assignment_pattern left: (identifier) @made))
(pair_pattern value: (identifier) @made)
(pair_pattern value: (assignment_pattern left: (identifier) @made))
(rest_pattern (identifier) @made)
(for_in_statement kind: _ left: (identifier) @made)

; What is changed
(assignment_expression left: [(identifier) (member_expression) (subscript_expression)] @changed)
(augmented_assignment_expression left: (_) @changed)
(update_expression argument: (_) @changed)
(unary_expression operator: "delete" argument: [(identifier) (member_expression) (subscript_expression)] @changed)
(call_expression
  function: (member_expression
    object: [(identifier) (member_expression) (this)] @changed.inside property: (property_identifier) @_method)
  (#any-of? @_method "push" "pop" "shift" "unshift" "splice" "sort" "reverse" "fill" "copyWithin"))

; Statements
(variable_declarator name: (_) @target) @assign
(variable_declarator name: (_) @target value: (_) @value) @assign
(expression_statement (assignment_expression left: (_) @target right: (_) @value)) @assign
(expression_statement
  (augmented_assignment_expression left: (_) @target operator: _ @operator right: (_) @value)) @update
(expression_statement (update_expression argument: (_) @target operator: _ @operator)) @update
(expression_statement (unary_expression operator: "delete" argument: (_) @target)) @delete
(expression_statement [(call_expression) (new_expression) (await_expression (call_expression))] @value) @action
(return_statement (_) @value) @return
(return_statement) @return
(arrow_function body: (expression) @value) @return.implicit
(yield_expression (_) @value) @yield
(await_expression (_) @value) @await
(throw_statement (new_expression constructor: (_) @error) @value) @raise
(throw_statement [(identifier) (member_expression) (call_expression)] @error) @raise
(continue_statement) @continue
(break_statement) @break

; Blocks
(if_statement condition: (parenthesized_expression (_) @condition)) @branch
(if_statement condition: (parenthesized_expression (_) @condition) !alternative
  consequence: [
    (return_statement) (throw_statement) (continue_statement) (break_statement)
    (statement_block [(return_statement) (throw_statement) (continue_statement) (break_statement)] .)]) @guard
(else_clause (if_statement condition: (parenthesized_expression (_) @condition)) @branch.else)
(else_clause [(statement_block) (expression_statement) (return_statement)]) @else
(ternary_expression condition: (_) @condition) @choice
(switch_statement value: (parenthesized_expression (_) @value)) @switch
(switch_case value: (_) @pattern) @case
(switch_default) @case
(for_in_statement left: (_) @target right: (_) @over) @loop.each
(for_in_statement "await" @async) @loop.each
(for_statement initializer: (_) @header) @loop.while
(for_statement increment: (_) @header) @loop.while
(for_statement condition: (_) @condition) @loop.while
(for_statement) @loop.while
(while_statement condition: (parenthesized_expression (_) @condition)) @loop.while
(do_statement condition: (parenthesized_expression (_) @condition)) @loop.while
(try_statement) @try
(catch_clause) @catch
(catch_clause parameter: (_) @error @name) @catch
(finally_clause) @finally

(ERROR) @broken
(MISSING) @broken
