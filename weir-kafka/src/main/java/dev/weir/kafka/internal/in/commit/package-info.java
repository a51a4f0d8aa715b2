/**
 * Commits finished offsets on the owner thread. With at-most-once delivery, commits records before they are emitted.
 * Depends on the {@code lookup}, {@code fetch}, {@code buffer} and {@code offsets} packages.
 */
@NullMarked
package dev.weir.kafka.internal.in.commit;

import org.jspecify.annotations.NullMarked;
