/**
 * Producing beyond one record for each element: several or none, what travels with them, results, what is done about
 * records that cannot be written, a producer that is shared or used outside pipelines. Everything is immutable or says
 * otherwise.
 */
@NullMarked
package dev.weir.kafka.produce;

import org.jspecify.annotations.NullMarked;
