/**
 * Creates the reports of a campaign: a table for the terminal, lines of JSON, CSV files and a self-contained HTML page.
 * Everything is created from a results folder, whether the campaign is finished or not, and can be created again at any
 * time.
 */
@NullMarked
package dev.weir.bench.report;

import org.jspecify.annotations.NullMarked;
