"""All there is to do: changes and failures in one list, and the numbers to steer by."""
