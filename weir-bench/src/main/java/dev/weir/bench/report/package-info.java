/**
 * Reports a campaign to people and programs: as a table for the terminal, lines of JSON, CSV files, and one
 * self-contained web page. Reports are created from a results folder, whether or not the campaign has finished, and can
 * be created repeatedly.
 */
@NullMarked
package dev.weir.bench.report;

import org.jspecify.annotations.NullMarked;
