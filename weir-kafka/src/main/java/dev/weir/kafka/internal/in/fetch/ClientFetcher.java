package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.jspecify.annotations.Nullable;

/** Fetches with Kafka's client, which is also the group member. See {@link RecordFetcher} for the threading rules. */
public final class ClientFetcher implements RecordFetcher {

    private final Consumer<byte[], byte[]> client;
    private final ClientContact contact;

    /** The next position of each partition that was set with {@link #seek}. */
    private final Map<TopicPartition, LogPosition> positions = new HashMap<>();

    /**
     * Partitions being revoked. The commit after the revocation needs their positions, so these are kept until the next
     * poll.
     */
    private final Set<TopicPartition> leaving = new HashSet<>();

    private final PollBudget budget;

    private final @Nullable ClientRescue rescue;

    /** The start positions of the last poll that was retried. A poll is not retried twice at the same positions. */
    private Map<TopicPartition, LogPosition> triedAgainAt = Map.of();

    /**
     * The search for the batch at which the client failed, or null. During a search, all partitions are paused, but the
     * client keeps polling for its group.
     */
    private @Nullable Search search;

    /** Maximum duration of a poll during a search. A finished search does not wake the owner thread. */
    private static final long POLL_IN_SEARCH_NANOS = 20_000_000;

    /**
     * A search for an unreadable batch.
     *
     * @param look the search itself
     * @param failure the error of the client
     * @param named whether the error's message names a partition
     * @param toResume the partitions to resume when the search ends
     */
    private record Search(ClientRescue.Look look, Throwable failure, boolean named, Set<TopicPartition> toResume) {}

    /** Creates a fetcher without limits of its own. */
    public ClientFetcher(Consumer<byte[], byte[]> client) {
        this(client, new PollBudget(Long.MAX_VALUE, Integer.MAX_VALUE), null);
    }

    /**
     * Creates a fetcher.
     *
     * @param budget the byte limit of a poll, which the client's deserializers ({@link PollBudget.Bytes}) enforce
     * @param rescue finds batches at which the client fails; null if such batches fail the poll
     */
    public ClientFetcher(Consumer<byte[], byte[]> client, PollBudget budget, @Nullable ClientRescue rescue) {
        this.client = client;
        this.contact = new ClientContact(client);
        this.budget = budget;
        this.rescue = rescue;
    }

    @Override
    public FetchResult poll(long nanos) {
        return FetchResult.of(pollClient(nanos));
    }

    private ConsumerRecords<byte[], byte[]> pollClient(long nanos) {
        positions.keySet().removeAll(leaving);
        leaving.clear();
        Search done = search;
        if (done != null && done.look.isDone()) {
            return rescued(done);
        }
        budget.begin();
        ConsumerRecords<byte[], byte[]> records;
        try {
            records = client.poll(Duration.ofNanos(done == null ? nanos : Math.min(nanos, POLL_IN_SEARCH_NANOS)));
        } catch (RecordDeserializationException refused) {
            throw refused.getCause() instanceof PollBudget.TooLarge tooLarge
                    ? new UnreadableBatch.Found(UnreadableBatch.tooLarge(
                            refused.topicPartition(), refused.offset(), tooLarge.sizeBytes(), budget.recordBytes()))
                    : refused;
        } catch (RuntimeException | OutOfMemoryError failure) {
            if (rescue == null || !mayBeOfBytes(failure)) {
                throw failure;
            }
            if (!isTriedAgain(rescue, failure)) {
                throw failure;
            }
            return ConsumerRecords.empty();
        }
        if (budget.isExceeded()) {
            return cut(records);
        }
        records.nextOffsets().forEach((id, next) -> positions.replace(id, LogPosition.of(next)));
        if (records.nextOffsets().isEmpty()) {
            follow(records);
        }
        return records;
    }

    /**
     * Returns whether a batch may have caused the failure. The client throws a plain {@link KafkaException} if it
     * cannot verify or decompress a batch, and other exceptions if it does not know the codec.
     */
    private static boolean mayBeOfBytes(Throwable failure) {
        return failure instanceof OutOfMemoryError
                || failure.getClass() == KafkaException.class
                || failure instanceof CorruptRecordException
                || failure instanceof InvalidRecordException
                || !(failure instanceof KafkaException || failure instanceof IllegalStateException);
    }

    /**
     * Prepares a retry of the failed poll, or starts a search for the batch at fault. Returns false if no batch can be
     * at fault.
     */
    private boolean isTriedAgain(ClientRescue by, Throwable failure) {
        String hint = Thrown.reason(failure);
        Map<TopicPartition, LogPosition> running = new HashMap<>(positions);
        running.keySet().retainAll(client.assignment());
        boolean named = running.keySet().stream().anyMatch(id -> hint.contains(id.toString()));
        if (failure.getClass() == KafkaException.class && !named) {
            // If a batch were at fault, the message would name its partition. This exception may come from a callback
            // instead.
            return false;
        }
        // Seek back: the failed client has dropped the records of this poll.
        running.forEach((id, position) -> client.seek(id, position.commit("")));
        if (failure instanceof OutOfMemoryError && !running.equals(triedAgainAt)) {
            triedAgainAt = running; // retry once: other threads may have exhausted the heap temporarily
            return true;
        }
        running.keySet().removeAll(client.paused());
        Set<TopicPartition> fetched = new HashSet<>(client.assignment());
        fetched.removeAll(client.paused());
        client.pause(fetched);
        Search before = search;
        if (before == null) {
            search = new Search(by.begin(running, hint), failure, named, fetched);
        } else {
            // Resume these partitions, too, when the search ends.
            before.toResume.addAll(fetched);
            if (before.failure != failure) {
                before.failure.addSuppressed(failure);
            }
        }
        return true;
    }

    /**
     * Returns the records before the batch at fault; empty if the poll must be retried.
     *
     * @throws UnreadableBatch.Found if no records come before that batch
     */
    private ConsumerRecords<byte[], byte[]> rescued(Search done) {
        endSearch();
        ClientRescue.Rescued found = done.look.found(done.failure);
        if (found == null) {
            if (done.named && !done.look.positions().equals(triedAgainAt)) {
                triedAgainAt = done.look.positions(); // retry once: the bytes may have been damaged in transit
                return ConsumerRecords.empty();
            }
            if (done.failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) done.failure;
        }
        if (!done.toResume.contains(found.id())
                || !Objects.equals(
                        positions.get(found.id()), done.look.positions().get(found.id()))) {
            // The partition was revoked, paused or moved during the search. Drop the result.
            return ConsumerRecords.empty();
        }
        if (found.records().isEmpty() && found.batch() != null) {
            throw new UnreadableBatch.Found(found.batch());
        }
        goOn(found.id(), found.records(), found.nextOffset());
        return new ConsumerRecords<>(Map.of(found.id(), found.records()), Map.of());
    }

    /**
     * Cancels the search if the client's error names one of these partitions, because that partition is no longer read
     * at the searched position.
     */
    private void endSearchIn(Collection<TopicPartition> ids) {
        Search vain = search;
        if (vain != null) {
            String hint = Thrown.reason(vain.failure);
            if (ids.stream().anyMatch(id -> hint.contains(id.toString()))) {
                vain.look.cancel();
                endSearch();
            }
        }
    }

    private void endSearch() {
        Search ended = search;
        if (ended != null) {
            search = null;
            ended.toResume.retainAll(client.assignment());
            client.resume(ended.toResume);
        }
    }

    /** Returns the records that fit into the budget. The client will fetch the others again. */
    private ConsumerRecords<byte[], byte[]> cut(ConsumerRecords<byte[], byte[]> records) {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> kept = new LinkedHashMap<>();
        for (TopicPartition id : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> all = records.records(id);
            int count = 0;
            while (count < all.size() && !isLeftOut(all.get(count))) {
                count++;
            }
            if (count > 0) {
                kept.put(id, new ArrayList<>(all.subList(0, count)));
            }
            OffsetAndMetadata next = records.nextOffsets().get(id);
            if (count < all.size()) {
                goOn(id, all.subList(0, count), all.get(count).offset());
            } else if (next != null) {
                positions.replace(id, LogPosition.of(next));
            }
        }
        records.nextOffsets().forEach((id, next) -> {
            if (!records.partitions().contains(id)) {
                positions.replace(id, LogPosition.of(next));
            }
        });
        return new ConsumerRecords<>(kept, Map.of());
    }

    private static boolean isLeftOut(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == PollBudget.LEFT_OUT || record.value() == PollBudget.LEFT_OUT;
    }

    /**
     * Seeks to {@code offset}. The leader epoch is taken from the last record handed out, or from the previous
     * position.
     */
    private void goOn(TopicPartition id, List<ConsumerRecord<byte[], byte[]>> handedOut, long offset) {
        LogPosition before = positions.get(id);
        int epoch = before == null ? LogPosition.NO_EPOCH : before.leaderEpoch();
        seek(
                id,
                new LogPosition(
                        offset,
                        handedOut.isEmpty()
                                ? epoch
                                : handedOut.getLast().leaderEpoch().orElse(epoch)));
    }

    /**
     * Derives the next positions from the records, because an interceptor may have dropped the next offsets of the
     * client's {@link ConsumerRecords}.
     */
    private void follow(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition id : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> list = records.records(id);
            if (!list.isEmpty()) { // an interceptor may have removed all records of the partition
                ConsumerRecord<byte[], byte[]> last = list.getLast();
                int epoch = last.leaderEpoch().orElse(LogPosition.NO_EPOCH);
                positions.replace(id, new LogPosition(last.offset() + 1, epoch));
            }
        }
    }

    @Override
    public void wakeup() {
        client.wakeup();
    }

    /** Discards positions from earlier assignments. The client already knows its new assignment. */
    @Override
    public void assigned(Collection<TopicPartition> ids) {
        positions.keySet().removeAll(ids);
        leaving.removeAll(ids);
    }

    @Override
    public void withdrawn(Collection<TopicPartition> ids) {
        leaving.addAll(ids);
        endSearchIn(ids);
    }

    @Override
    public void pause(Collection<TopicPartition> ids) {
        client.pause(ids);
        if (search != null) {
            search.toResume.removeAll(ids);
        }
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        if (search == null) {
            client.resume(ids);
        } else {
            search.toResume.addAll(ids);
        }
    }

    /** Discards the position. Gives the client an arbitrary position, because it would look one up if it had none. */
    @Override
    public void hold(TopicPartition id) {
        endSearchIn(List.of(id));
        positions.remove(id);
        client.seek(id, 0);
    }

    @Override
    public void seek(TopicPartition id, LogPosition place) {
        endSearchIn(List.of(id));
        positions.put(id, place);
        client.seek(id, place.commit(""));
    }

    @Override
    public long position(TopicPartition id) {
        LogPosition position = positions.get(id);
        return position == null ? UNKNOWN : position.offset();
    }

    @Override
    public int leaderEpoch(TopicPartition id) {
        LogPosition position = positions.get(id);
        return position == null ? UNKNOWN : position.leaderEpoch();
    }

    @Override
    public long lag(TopicPartition id) {
        try {
            return client.currentLag(id).orElse(UNKNOWN);
        } catch (IllegalStateException | KafkaException notKnown) {
            return UNKNOWN;
        }
    }

    @Override
    public long throttledNanos() {
        return contact.throttledNanos();
    }

    @Override
    public BrokerContact contact() {
        return contact.get();
    }

    boolean tellsEvents() {
        return contact.tellsEvents();
    }

    boolean hasEvents() {
        return contact.hasEvents();
    }

    /** Cancels a running search. Does not close the client. */
    @Override
    public void close() {
        if (search != null) {
            search.look.cancel();
        }
    }
}
