/**
 * Membership of a share group and sessions with its brokers (KIP-932) as machines without sockets: answers and the
 * time go in, requests come out. What is acquired comes as a
 * {@link dev.weir.kafka.internal.share.session.LockedRecord}; one thread owns all of it.
 */
@NullMarked
package dev.weir.kafka.internal.share.session;

import org.jspecify.annotations.NullMarked;
