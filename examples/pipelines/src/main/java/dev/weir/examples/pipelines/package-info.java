/**
 * Three everyday pipelines, each with a console: HTTP enrichment, CSV to a database, a log filter. Records or lines
 * come in, enriched records, rows or matching lines go out.
 */
@NullMarked
package dev.weir.examples.pipelines;

import org.jspecify.annotations.NullMarked;
