/**
 * Example pipelines with a web console: HTTP enrichment of records, import of a CSV file into a database, and filtering
 * of a log.
 */
@NullMarked
package dev.weir.examples.pipelines;

import org.jspecify.annotations.NullMarked;
