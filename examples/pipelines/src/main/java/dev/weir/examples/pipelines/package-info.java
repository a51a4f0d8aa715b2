/**
 * Three everyday pipelines, each with a console: HTTP enrichment, CSV to a database, and a log filter. Input: records
 * or lines. Output: enriched records, rows or matching lines.
 */
@NullMarked
package dev.weir.examples.pipelines;

import org.jspecify.annotations.NullMarked;
