/**
 * Commits finished offsets on the owner thread. With at-most-once delivery, records enter this package before their
 * commit and leave it afterwards. Uses {@code lookup}, {@code fetch}, {@code buffer} and {@code offsets}.
 */
@NullMarked
package dev.weir.kafka.internal.in.commit;

import org.jspecify.annotations.NullMarked;
