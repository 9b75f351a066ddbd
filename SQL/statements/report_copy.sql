-- Streams a report as CSV with a header line; {query} is the report's statement.
COPY (
{query}
) TO STDOUT (FORMAT csv, HEADER)
