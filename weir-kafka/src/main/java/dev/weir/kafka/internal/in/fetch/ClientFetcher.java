package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
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

/** Fetches with Kafka's own client, which is also the group member. See {@link RecordFetcher} for threads. */
public final class ClientFetcher implements RecordFetcher {

    private final Consumer<byte[], byte[]> client;
    private final ClientContact contact;

    /** The positions of the next poll in partitions that were sought, maintained across seeks and polls. */
    private final Map<TopicPartition, LogPosition> positions = new HashMap<>();

    /** Partitions being revoked, whose positions are read once more after their removal. */
    private final Set<TopicPartition> leaving = new HashSet<>();

    /** The byte limit of a poll, if the client's deserializers enforce it. */
    private final PollBudget budget;

    /** Reads batches that the client cannot; null if there are no brokers to ask, or the client fetches nothing. */
    private final @Nullable ClientRescue rescue;

    /** The positions at which the client failed and the poll was tried again. */
    private Map<TopicPartition, LogPosition> triedAgainAt = Map.of();

    /** The search for the batch at which the client failed. Meanwhile nothing is fetched, but the group is served. */
    private @Nullable Search search;

    /** Longest poll during a search, whose end does not wake the owner. */
    private static final long POLL_IN_SEARCH_NANOS = 20_000_000;

    /**
     * A search and its context.
     *
     * @param toResume the partitions that are paused only for the search
     */
    private record Search(ClientRescue.Look look, Throwable failure, boolean named, Set<TopicPartition> toResume) {}

    /** Creates a fetcher with a client that has only its own limits. */
    public ClientFetcher(Consumer<byte[], byte[]> client) {
        this(client, new PollBudget(Long.MAX_VALUE, Integer.MAX_VALUE), null);
    }

    /**
     * Creates a fetcher.
     *
     * @param budget the budget of the client's deserializers, {@link PollBudget.Bytes}
     * @param rescue reads batches at which the client fails
     */
    public ClientFetcher(Consumer<byte[], byte[]> client, PollBudget budget, @Nullable ClientRescue rescue) {
        this.client = client;
        this.contact = new ClientContact(client);
        this.budget = budget;
        this.rescue = rescue;
    }

    @Override
    public Fetched poll(long nanos) {
        return Fetched.of(pollClient(nanos));
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
     * Returns whether a batch may be the cause. For a wrong checksum, or bytes that a codec cannot decompress, the
     * client throws a plain exception; for an unknown codec, one that is not Kafka's.
     */
    private static boolean mayBeOfBytes(Throwable failure) {
        return failure instanceof OutOfMemoryError
                || failure.getClass() == KafkaException.class
                || failure instanceof CorruptRecordException
                || failure instanceof InvalidRecordException
                || !(failure instanceof KafkaException || failure instanceof IllegalStateException);
    }

    /**
     * Returns whether to retry the poll, or to search for the batch at which it failed; false if no batch is the cause.
     */
    private boolean isTriedAgain(ClientRescue by, Throwable failure) {
        String hint = String.valueOf(failure.getMessage());
        Map<TopicPartition, LogPosition> running = new HashMap<>(positions);
        running.keySet().retainAll(client.assignment());
        boolean named = running.keySet().stream().anyMatch(id -> hint.contains(id.toString()));
        if (failure.getClass() == KafkaException.class && !named) {
            return false; // For example from a callback: faults of a batch name its partition.
        }
        // On an error the client drops the records gathered in this poll, although its positions have passed them.
        running.forEach((id, position) -> client.seek(id, position.commit("")));
        if (failure instanceof OutOfMemoryError && !running.equals(triedAgainAt)) {
            triedAgainAt = running; // other threads may have used up the memory for a moment
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
            before.toResume.addAll(fetched); // Returns records that arrived meanwhile.
            if (before.failure != failure) {
                before.failure.addSuppressed(failure);
            }
        }
        return true;
    }

    /**
     * Returns the records before the batch at which the client failed; none if the poll must be retried.
     *
     * @throws UnreadableBatch.Found if nothing comes before it
     */
    private ConsumerRecords<byte[], byte[]> rescued(Search done) {
        endSearch();
        ClientRescue.Rescued found = done.look.found(done.failure);
        if (found == null) {
            if (done.named && !done.look.positions().equals(triedAgainAt)) {
                triedAgainAt = done.look.positions(); // The bytes were damaged in transit.
                return ConsumerRecords.empty();
            }
            if (done.failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) done.failure;
        }
        if (!Objects.equals(positions.get(found.id()), done.look.positions().get(found.id()))) {
            return ConsumerRecords.empty(); // The partition was revoked or sought.
        }
        if (found.records().isEmpty() && found.batch() != null) {
            throw new UnreadableBatch.Found(found.batch());
        }
        goOn(found.id(), found.records(), found.nextOffset());
        return new ConsumerRecords<>(Map.of(found.id(), found.records()), Map.of());
    }

    /** Cancels a search if it concerns one of these partitions, because its result would be of no use. */
    private void endSearchIn(Collection<TopicPartition> ids) {
        Search vain = search;
        if (vain != null) {
            String hint = String.valueOf(vain.failure.getMessage());
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

    /** Keeps the records within the budget; later ones are fetched again. */
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

    /** Continues after the records that were handed out, or at the old position if there were none. */
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

    /** An interceptor may have replaced the records with ones that lack the next offset. */
    private void follow(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition id : records.partitions()) {
            ConsumerRecord<byte[], byte[]> last = records.records(id).getLast();
            positions.replace(
                    id, new LogPosition(last.offset() + 1, last.leaderEpoch().orElse(LogPosition.NO_EPOCH)));
        }
    }

    @Override
    public void wakeup() {
        client.wakeup();
    }

    /** The client is the first to know. */
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

    /** Any offset will do: a client without a position would look for one. */
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

    /** Returns whether the client reports what waits for its next poll: {@link #hasEvents}. */
    boolean tellsEvents() {
        return contact.tellsEvents();
    }

    boolean hasEvents() {
        return contact.hasEvents();
    }

    /** The owner closes the client. */
    @Override
    public void close() {
        if (search != null) {
            search.look.cancel();
        }
    }
}
