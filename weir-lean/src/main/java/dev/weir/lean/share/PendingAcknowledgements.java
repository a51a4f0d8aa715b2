package dev.weir.lean.share;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledgements of one partition, waiting to be sent. The broker accepts or refuses all acknowledgements in a
 * request together, so doubtful ones are sent in separate requests. Confined to the member's thread.
 */
final class PendingAcknowledgements {

    /**
     * Acknowledgements of the partition to be sent in one request.
     *
     * @param renews true if all are renewals, false if none is
     */
    record Packet(List<AcknowledgementRange> acks, boolean renews) {}

    private List<AcknowledgementRange> good = new ArrayList<>();
    private final ArrayDeque<Packet> apart = new ArrayDeque<>();
    private final ArrayDeque<Packet> renewals = new ArrayDeque<>();

    /** Time of the oldest pending acknowledgement. */
    private long sinceNanos;

    private boolean hurried;

    void add(List<AcknowledgementRange> acks, long nowNanos) {
        if (!hasAcks()) {
            sinceNanos = nowNanos;
        }
        good.addAll(acks);
    }

    /** Adds acknowledgements that may be refused, to be sent separately. */
    void addApart(List<AcknowledgementRange> acks, boolean renews, long nowNanos) {
        if (acks.isEmpty()) {
            return;
        }
        if (!renews && !hasAcks()) {
            sinceNanos = nowNanos;
        }
        (renews ? renewals : apart).add(new Packet(acks, renews));
    }

    boolean hasAcks() {
        return !good.isEmpty() || !apart.isEmpty();
    }

    boolean hasRenewals() {
        return !renewals.isEmpty();
    }

    long sinceNanos() {
        return sinceNanos;
    }

    /** Requests to send the acknowledgements soon, because a window of acquired offsets is almost full. */
    void hurry() {
        hurried = true;
    }

    /** Returns whether to send the next packet soon, because a window of acquired offsets is almost full. */
    boolean isHurried() {
        return hurried;
    }

    /** Returns whether the next packet needs a separate request. */
    boolean isNextApart() {
        return good.isEmpty();
    }

    /** Removes and returns the next packet; null if there is none. */
    @Nullable
    Packet take() {
        hurried = false;
        if (good.isEmpty()) {
            return apart.poll();
        }
        // The broker needs ascending offsets. Send the second acknowledgement of an offset separately.
        good.sort(Comparator.comparingLong(AcknowledgementRange::first));
        List<AcknowledgementRange> together = new ArrayList<>(good.size());
        long end = -1;
        for (AcknowledgementRange ack : good) {
            if (ack.first() > end) {
                together.add(ack);
                end = ack.last();
            } else {
                apart.add(new Packet(List.of(ack), false));
            }
        }
        good = new ArrayList<>();
        return new Packet(together, false);
    }

    @Nullable
    Packet takeRenewals() {
        return renewals.poll();
    }

    /** Puts back a packet that the broker did not process, before the other separate packets. */
    void putBack(Packet packet) {
        (packet.renews() ? renewals : apart).addFirst(packet);
    }

    /**
     * Splits a packet with at least one invalid acknowledgement, as the broker reported, into two separate packets. A
     * packet with a single range cannot be split, because the range has one lock.
     *
     * @return the invalid acknowledgement, or null if the packet was split
     */
    @Nullable
    AcknowledgementRange split(Packet refused) {
        List<AcknowledgementRange> acks = refused.acks();
        if (acks.size() == 1) {
            return acks.getFirst();
        }
        ArrayDeque<Packet> queue = refused.renews() ? renewals : apart;
        int middle = acks.size() / 2;
        queue.addFirst(new Packet(acks.subList(middle, acks.size()), refused.renews()));
        queue.addFirst(new Packet(acks.subList(0, middle), refused.renews()));
        return null;
    }

    /**
     * Withdraws acknowledgements of locks that have ended. The broker knows only offset and member, so a late RELEASE
     * or RENEW would affect the member's new lock on the same offset. ACCEPT and REJECT stay: the record is finished.
     */
    void withdraw(long first, long last) {
        withdraw(first, last, false);
    }

    /** Withdraws all acknowledgements of an offset, which now belongs to a recreated topic. */
    void withdrawAll(long offset) {
        withdraw(offset, offset, true);
    }

    private void withdraw(long first, long last, boolean ofAnyType) {
        good = without(good, first, last, ofAnyType);
        withdraw(apart, first, last, ofAnyType);
        withdraw(renewals, first, last, ofAnyType);
    }

    private static void withdraw(ArrayDeque<Packet> packets, long first, long last, boolean ofAnyType) {
        if (packets.isEmpty()) {
            return;
        }
        List<Packet> all = new ArrayList<>(packets);
        packets.clear();
        for (Packet packet : all) {
            List<AcknowledgementRange> left = without(packet.acks(), first, last, ofAnyType);
            if (!left.isEmpty()) {
                packets.add(new Packet(left, packet.renews()));
            }
        }
    }

    private static boolean isOfLock(AcknowledgementRange ack) {
        return ack.type() == AcknowledgementRange.RELEASE || ack.type() == AcknowledgementRange.RENEW;
    }

    private static List<AcknowledgementRange> without(
            List<AcknowledgementRange> acks, long first, long last, boolean ofAnyType) {
        List<AcknowledgementRange> left = new ArrayList<>(acks.size());
        for (AcknowledgementRange ack : acks) {
            boolean isApart = ack.last() < first || ack.first() > last;
            if (isApart || !(ofAnyType || isOfLock(ack))) {
                left.add(ack);
                continue;
            }
            if (ack.first() < first) {
                left.add(ack.part(ack.first(), first - 1));
            }
            if (ack.last() > last) {
                left.add(ack.part(last + 1, ack.last()));
            }
        }
        return left;
    }

    /** Removes and returns all packets, because the locks are lost. */
    List<Packet> clear() {
        List<Packet> all = new ArrayList<>(apart);
        all.addAll(renewals);
        if (!good.isEmpty()) {
            all.add(new Packet(good, false));
        }
        hurried = false;
        good = new ArrayList<>();
        apart.clear();
        renewals.clear();
        return all;
    }
}
