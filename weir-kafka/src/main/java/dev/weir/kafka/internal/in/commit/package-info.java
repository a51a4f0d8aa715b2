/**
 * Commits of finished offsets, on the owner thread; at most once, records come in before their commit and go out after
 * it. Uses {@code lookup}, {@code fetch}, {@code buffer} and {@code offsets}.
 */
@NullMarked
package dev.weir.kafka.internal.in.commit;

import org.jspecify.annotations.NullMarked;
