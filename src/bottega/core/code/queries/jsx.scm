; Markup. `<div>` is a tag of the page, `<Card>` a name of ours.
(jsx_opening_element name: (identifier) @label (#match? @label "^[a-z]"))
(jsx_closing_element name: (identifier) @label (#match? @label "^[a-z]"))
(jsx_self_closing_element name: (identifier) @label (#match? @label "^[a-z]"))
