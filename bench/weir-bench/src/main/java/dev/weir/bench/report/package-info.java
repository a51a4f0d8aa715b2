/**
 * Creates the reports of a campaign: a table for the terminal, lines of JSON, CSV files and a self-contained HTML page.
 * Reports are created from a results folder, at any time.
 */
@NullMarked
package dev.weir.bench.report;

import org.jspecify.annotations.NullMarked;
