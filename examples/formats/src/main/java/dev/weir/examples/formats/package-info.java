/** Orders in several formats: Avro in and Protobuf out by a schema registry, and JSON checked against its schema. */
@NullMarked
package dev.weir.examples.formats;

import org.jspecify.annotations.NullMarked;
