package dev.weir.kafka.internal.handler;

import dev.weir.stream.spi.AckTarget;
import java.util.List;

/**
 * A batch of records for one call of the handler. Confined to the thread that works on the batch. Any thread may call
 * the methods of {@link AckTarget} once the batch is emitted.
 */
public final class BatchJob<K, V> implements AckTarget {

    private final List<BatchMember<K, V>> members;

    /** The index of the queue that gathered the batch. Batches of one queue are handled in order. */
    private final long orderingKey;

    /** The records without an outcome, in order, divided into the parts that are handled together. */
    private List<List<BatchMember<K, V>>> open;

    BatchJob(List<BatchMember<K, V>> members, long orderingKey) {
        this.members = members;
        this.orderingKey = orderingKey;
        this.open = List.of(members);
    }

    List<BatchMember<K, V>> members() {
        return members;
    }

    long orderingKey() {
        return orderingKey;
    }

    List<List<BatchMember<K, V>>> open() {
        return open;
    }

    void left(List<List<BatchMember<K, V>>> parts) {
        open = parts;
    }

    /**
     * Drops the pending acknowledgements of records that the source has lost. Returns true if all records are lost.
     * Must not be called while the handler or another thread works on the batch.
     */
    boolean dropLost() {
        boolean all = true;
        for (BatchMember<K, V> member : members) {
            all &= member.dropIfLost();
        }
        return all;
    }

    @Override
    public boolean isRevoked(long token) {
        return dropLost();
    }

    @Override
    public boolean dropIfRevoked(long token) {
        return dropLost();
    }

    @Override
    public void ack(long token) {
        BatchMember.taken(members).ackAll();
    }

    @Override
    public void forgo(long token) {
        BatchMember.taken(members).forgoFrom(0);
    }

    @Override
    public void abandon(long token) {
        BatchMember.taken(members).abandonAll();
    }

    @Override
    public void retain(long token, int count) {
        throw new IllegalStateException("a batch is one element until its records continue");
    }

    @Override
    public boolean standsFor(long token, AckTarget of, long ofToken) {
        return members.stream().anyMatch(member -> member.target.standsFor(member.token, of, ofToken));
    }

    @Override
    public void roots(long token, RootVisitor visitor) {
        members.forEach(member -> member.target.roots(member.token, visitor));
    }

    HandlerJob<K, V> first() {
        return members.getFirst().job;
    }

    @Override
    public String placeOf(long token) {
        BatchMember<K, V> first = members.getFirst();
        String place = first.target.placeOf(first.token);
        return members.size() == 1 ? place : place + " and " + (members.size() - 1) + " more";
    }
}
