/**
 * Exactly-once delivery to a database. The transaction that stores the results of records also stores the partition's
 * position. Positions are read when partitions are assigned, and written on the application's connections. Starts no
 * threads.
 */
@NullMarked
package dev.weir.jdbc;

import org.jspecify.annotations.NullMarked;
