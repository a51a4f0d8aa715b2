package dev.weir.kafka.internal.share.member;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.AcknowledgementCommitCallback;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acknowledgements under way: counts those that the brokers took, and names those that they refused. Confined to the
 * share consumer's thread, on which the client calls it.
 */
final class AcknowledgementTally implements AcknowledgementCommitCallback {

    private static final Logger LOG = LoggerFactory.getLogger(AcknowledgementTally.class);
    private static final int NAMED = 5;

    private record Sent(AcquiredRecord record, AcknowledgeType type, long sinceNanos) {}

    private final String lane;
    private final ShareCounters counters;
    private final Consumer<AcquiredRecord> onRenewalRefused;
    private final Map<TopicPartition, Map<Long, Sent>> sent = new HashMap<>();
    private int openRenewals;

    AcknowledgementTally(String lane, ShareCounters counters, Consumer<AcquiredRecord> onRenewalRefused) {
        this.lane = lane;
        this.counters = counters;
        this.onRenewalRefused = onRenewalRefused;
    }

    void sent(AcquiredRecord record, AcknowledgeType type) {
        Sent before = sent.computeIfAbsent(
                        new TopicPartition(record.topic(), record.partition()), each -> new HashMap<>())
                .put(record.offset(), new Sent(record, type, System.nanoTime()));
        ended(before);
        openRenewals += type == AcknowledgeType.RENEW ? 1 : 0;
    }

    /** Renewals that have no answer yet. */
    int openRenewals() {
        return openRenewals;
    }

    private void ended(@Nullable Sent one) {
        openRenewals -= one != null && one.type == AcknowledgeType.RENEW ? 1 : 0;
    }

    /** Forgets one that could not even be sent. */
    void forget(AcquiredRecord record) {
        Map<Long, Sent> ofPartition = sent.get(new TopicPartition(record.topic(), record.partition()));
        if (ofPartition != null) {
            ended(ofPartition.remove(record.offset()));
        }
    }

    @Override
    public void onComplete(Map<TopicIdPartition, Set<Long>> offsets, @Nullable Exception failure) {
        List<String> refused = new ArrayList<>();
        offsets.forEach((partition, ofPartition) -> {
            Map<Long, Sent> known = sent.get(partition.topicPartition());
            for (Long offset : ofPartition) {
                Sent answered = known == null ? null : known.remove(offset);
                if (answered == null) {
                    continue; // A gap, which the client acknowledges by itself.
                }
                ended(answered);
                if (failure == null) {
                    confirmed(answered);
                } else {
                    refused.add(partition.topicPartition() + "@" + offset + " " + answered.type);
                    refused(answered);
                }
            }
        });
        if (failure != null && !refused.isEmpty()) {
            LOG.warn(
                    "{}: {} acknowledgements were refused, their records come again: {}{}: {}",
                    lane,
                    refused.size(),
                    String.join(", ", refused.subList(0, Math.min(NAMED, refused.size()))),
                    refused.size() > NAMED ? " ..." : "",
                    failure.toString());
        }
    }

    private void confirmed(Sent answered) {
        counters.acknowledgements.increment();
        counters.acknowledgementNanos.add(System.nanoTime() - answered.sinceNanos);
        switch (answered.type) {
            case ACCEPT -> counters.accepted.increment();
            case RELEASE -> counters.released.increment();
            case REJECT -> counters.rejected.increment();
            case RENEW -> counters.renewed.increment();
        }
    }

    private void refused(Sent answered) {
        counters.failedAcknowledgements.increment();
        if (answered.type == AcknowledgeType.RENEW) {
            onRenewalRefused.accept(answered.record);
        }
    }
}
