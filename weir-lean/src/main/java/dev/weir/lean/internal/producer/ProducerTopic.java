package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.cluster.TopicIdAgreement;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.common.errors.ApiException;
import org.jspecify.annotations.Nullable;

/** A topic to which records are sent. Written by the producer's thread, read by any thread. */
final class ProducerTopic {

    private static final ProducerPartition[] NONE = {};

    final String name;
    final byte[] nameBytes;

    /** The topic's sort key, assigned in the order in which topics were first used. */
    final int ordinal;

    /** Confined to the producer's thread */
    final TopicIdAgreement agreement = new TopicIdAgreement();

    /** Empty until the topic has been found. */
    private volatile ProducerPartition[] partitions = NONE;

    /** Reason why the brokers permanently refuse access to the topic; null if they do not. */
    private volatile @Nullable LeanException refusal;

    /** The brokers' current error for the topic; null if there is none. */
    private volatile @Nullable ApiException absence;

    /** Partition for records without a key until its batch is full. */
    private volatile int sticky;

    ProducerTopic(String name, int ordinal) {
        this.name = name;
        this.nameBytes = name.getBytes(StandardCharsets.UTF_8);
        this.ordinal = ordinal;
    }

    ProducerPartition[] partitions() {
        return partitions;
    }

    /** Returns whether a partition is known. A negative number stands for any partition. */
    boolean has(int number) {
        return partitions.length > Math.max(0, number);
    }

    void partitions(ProducerPartition[] all) {
        partitions = all;
    }

    @Nullable
    LeanException refusal() {
        return refusal;
    }

    void refusal(@Nullable LeanException why) {
        refusal = why;
    }

    @Nullable
    ApiException absence() {
        return absence;
    }

    void absence(@Nullable ApiException why) {
        absence = why;
    }

    /** Returns the partition for a record without a key. */
    ProducerPartition sticky(ProducerPartition[] all) {
        return all[sticky % all.length];
    }

    /** Chooses another partition for records without a key, preferably one with a leader. */
    ProducerPartition nextSticky(ProducerPartition[] all, ProducerPartition before) {
        int start = ThreadLocalRandom.current().nextInt(all.length);
        ProducerPartition next = before;
        for (int i = 0; i < all.length && (next == before || !next.hasLeader()); i++) {
            next = all[(start + i) % all.length];
        }
        sticky = next.number;
        return next;
    }
}
