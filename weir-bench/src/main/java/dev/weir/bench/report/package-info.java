/**
 * Reports of a campaign for people and programs: a table for the terminal, lines of JSON, CSV files and one page that
 * needs nothing else. Everything is made from a results folder, finished or not, as often as one likes.
 */
@NullMarked
package dev.weir.bench.report;

import org.jspecify.annotations.NullMarked;
