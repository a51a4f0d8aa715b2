/**
 * The finished offsets of a partition: offsets come in as records are seen, acknowledgements come in from any thread,
 * and the position up to which everything is finished goes out to the committing owner thread.
 */
@NullMarked
package dev.weir.kafka.internal.in.offsets;

import org.jspecify.annotations.NullMarked;
