/**
 * Exactly once into a database: a partition's position goes into the transaction that stores what came of its records.
 * Positions come in from the database when partitions are assigned, and go out on connections of the application; no
 * thread is started here.
 */
@NullMarked
package dev.weir.jdbc;

import org.jspecify.annotations.NullMarked;
