/**
 * Membership of a share group, and sessions with its brokers (KIP-932), as state machines without sockets: they take
 * responses and the time, and return requests. Each acquired record becomes a {@link dev.weir.lean.share.LockedRecord}.
 * One thread owns all state.
 */
@NullMarked
package dev.weir.lean.share;

import org.jspecify.annotations.NullMarked;
