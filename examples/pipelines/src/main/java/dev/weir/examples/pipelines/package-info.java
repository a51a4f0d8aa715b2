/**
 * Three everyday pipelines, each with a console: HTTP enrichment, CSV import into a database, and a log filter. They
 * read records or lines and write enriched records, rows or matching lines.
 */
@NullMarked
package dev.weir.examples.pipelines;

import org.jspecify.annotations.NullMarked;
