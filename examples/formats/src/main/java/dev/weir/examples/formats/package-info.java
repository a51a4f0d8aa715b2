/** Orders in several formats: Avro to Protobuf with a schema registry, and JSON that is checked against its schema. */
@NullMarked
package dev.weir.examples.formats;

import org.jspecify.annotations.NullMarked;
