/**
 * Membership of a share group, and sessions with its brokers (KIP-932), as state machines without sockets. They receive
 * responses and the time, and return requests. Each acquired record is passed on as a
 * {@link dev.weir.lean.share.LockedRecord}. One thread owns all state.
 */
@NullMarked
package dev.weir.lean.share;

import org.jspecify.annotations.NullMarked;
