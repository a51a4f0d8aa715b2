package dev.weir.kafka.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a chain of flows, each with retry topics and a dead-letter topic. A seed determines the flows. The
 * production classes decide where a record goes; logs, positions and crashes are simulated. Confined to one thread.
 */
final class RetryFlowsWorld {

    /** Thrown if a flow breaks one of its promises. */
    static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1L;

        Violation(String what) {
            super(what);
        }
    }

    private static final int STEPS = 250;
    private static final int MAX_FLOWS = 3;
    private static final String TRACE = "trace";
    private static final String STRAY = "stray";

    /** A record in a log, with its true history. */
    private record Stored(ConsumerRecord<byte[], byte[]> record, Known known) {}

    /**
     * The true history of a record.
     *
     * @param origin partition and offset at which the flow first consumed the record; null for a record that another
     *     program wrote to a retry topic
     * @param attempts the number of earlier attempts by the flow's handler
     */
    private record Known(@Nullable String origin, int attempts) {}

    /** A partition that a flow reads, and the flow's position in it. */
    private static final class Input {
        final Flow flow;
        final TopicPartition id;

        /** Number of this partition's topic among the flow's retry topics, from 1; 0 for the main topic. */
        final int tiers;

        final List<Stored> log = new ArrayList<>();
        int position;
        int committed;

        Input(Flow flow, TopicPartition id, int tiers) {
            this.flow = flow;
            this.id = id;
            this.tiers = tiers;
        }
    }

    /** A flow and its topics, in the order in which a failing record passes through them. */
    private static final class Flow {
        final String name;
        final List<String> topics = new ArrayList<>();
        final Map<String, Long> delays = new HashMap<>();
        final RetryTiers route;
        final Map<String, Boolean> ended = new HashMap<>();

        Flow(int number, int tiers) {
            name = "flow" + number;
            topics.add(name);
            RetryTopics retries = RetryTopics.of(tier(1), delay(1));
            for (int tier = 2; tier <= tiers; tier++) {
                retries = retries.then(tier(tier), delay(tier));
            }
            route = new RetryTiers(retries, deadLetters(dead()));
        }

        private String tier(int tier) {
            topics.add(name + "-retry-" + tier);
            delays.put(topics.getLast(), delay(tier).toMillis());
            return topics.getLast();
        }

        private static Duration delay(int tier) {
            return Duration.ofMinutes(tier);
        }

        String dead() {
            return name + "-dead";
        }
    }

    private final SplittableRandom random;
    private final boolean headersCountAnywhere;
    private final List<Flow> flows = new ArrayList<>();
    private final List<Input> inputs = new ArrayList<>();
    private int values;
    private int foreign;

    /**
     * Generates the flows from a seed.
     *
     * @param headersCountAnywhere plants a fault: retry headers also count in main topics
     */
    RetryFlowsWorld(long seed, boolean headersCountAnywhere) {
        this.random = new SplittableRandom(seed);
        this.headersCountAnywhere = headersCountAnywhere;
        int count = 1 + random.nextInt(MAX_FLOWS);
        for (int i = 0; i < count; i++) {
            Flow flow = new Flow(i, 1 + random.nextInt(3));
            flows.add(flow);
            for (String topic : flow.topics) {
                int partitions = 1 + random.nextInt(2);
                for (int number = 0; number < partitions; number++) {
                    inputs.add(new Input(flow, new TopicPartition(topic, number), flow.topics.indexOf(topic)));
                }
            }
        }
    }

    private static DeadLetterTopic deadLetters(String topic) {
        return DeadLetterTopic.of(
                topic,
                ConsumerSettings.builder(new ByteArrayDeserializer(), new ByteArrayDeserializer())
                        .bootstrapServers("localhost:1")
                        .groupId("g")
                        .build());
    }

    /**
     * Runs the simulation to its end.
     *
     * @return the number of records that reached a main topic with the retry headers of another flow
     */
    int run() {
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(12)) {
                case 0, 1 -> writeNew();
                case 2 -> writeStray();
                case 3 -> crash();
                case 4 -> inputs.forEach(input -> input.committed = input.position);
                default -> handleNext(false);
            }
        }
        while (handleNext(true)) {
            // Handle all remaining records, without further crashes.
        }
        flows.forEach(flow -> flow.ended.forEach((origin, ended) -> {
            if (!ended) {
                throw new Violation(origin + " is in no topic and was not handled");
            }
        }));
        return foreign;
    }

    private void writeNew() {
        RecordHeaders headers = new RecordHeaders();
        String value = "value" + values++;
        headers.add(TRACE, value.getBytes(UTF_8));
        appendToMain(flows.getFirst(), value.getBytes(UTF_8), headers);
    }

    /** Writes a record directly to a retry topic, with or without headers. */
    private void writeStray() {
        Input to = inputs.get(random.nextInt(inputs.size()));
        if (to.tiers > 0) {
            RecordHeaders headers = new RecordHeaders();
            if (random.nextBoolean()) {
                headers.add(RetryTopics.TOPIC, "elsewhere".getBytes(UTF_8));
                headers.add(RetryTopics.OFFSET, "no number".getBytes(UTF_8));
            }
            append(to, (STRAY + values++).getBytes(UTF_8), headers, new Known(null, 0));
        }
    }

    private void crash() {
        Flow flow = flows.get(random.nextInt(flows.size()));
        inputs.stream().filter(input -> input.flow == flow).forEach(input -> input.position = input.committed);
    }

    private void appendToMain(Flow flow, byte[] value, RecordHeaders headers) {
        Input to = partitionOf(flow.name);
        String origin = to.id + "@" + to.log.size();
        flow.ended.put(origin, false);
        append(to, value, headers, new Known(origin, 0));
    }

    private Input partitionOf(String topic) {
        List<Input> partitions =
                inputs.stream().filter(input -> input.id.topic().equals(topic)).toList();
        return partitions.get(random.nextInt(partitions.size()));
    }

    private static void append(Input to, byte[] value, RecordHeaders headers, Known known) {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                to.id.topic(),
                to.id.partition(),
                to.log.size(),
                1_000 + to.log.size(),
                TimestampType.CREATE_TIME,
                0,
                value.length,
                null,
                value,
                headers,
                Optional.empty());
        to.log.add(new Stored(record, known));
    }

    /** Handles the next record of a random partition. Returns false if all records are handled. */
    private boolean handleNext(boolean calm) {
        List<Input> behind = inputs.stream()
                .filter(input -> input.position < input.log.size())
                .toList();
        if (behind.isEmpty()) {
            return false;
        }
        Input from = behind.get(random.nextInt(behind.size()));
        Stored stored = from.log.get(from.position);
        ConsumerRecord<byte[], byte[]> record = asHandled(from, stored.record);
        check(from, stored, record);
        if (random.nextInt(calm ? 4 : 2) == 0) {
            fail(from, stored, record);
        } else {
            succeed(from, stored, record);
        }
        from.position++;
        return true;
    }

    private ConsumerRecord<byte[], byte[]> asHandled(Input from, ConsumerRecord<byte[], byte[]> record) {
        if (from.tiers > 0) {
            return RetriedRecord.of(record, from.tiers);
        }
        return headersCountAnywhere
                ? RetriedRecord.of(record, (int) RecordOrigin.number(record, RetryTopics.TIER, 0))
                : record;
    }

    /** Checks that the record's headers name the partition and offset at which the flow first consumed it. */
    private static void check(Input from, Stored stored, ConsumerRecord<byte[], byte[]> record) {
        String place = record.topic() + "-" + record.partition() + "@" + record.offset();
        String right = stored.known.origin != null ? stored.known.origin : from.id + "@" + stored.record.offset();
        if (!place.equals(right)) {
            throw new Violation(from.flow.name + " handles " + right + " as " + place);
        }
        boolean isStray = new String(record.value(), UTF_8).startsWith(STRAY);
        if (!isStray && record.headers().lastHeader(TRACE) == null) {
            throw new Violation(right + " has lost the header that it came with");
        }
    }

    private void succeed(Input from, Stored stored, ConsumerRecord<byte[], byte[]> record) {
        end(from.flow, stored.known);
        int next = flows.indexOf(from.flow) + 1;
        if (next < flows.size()) {
            foreign += record.headers().lastHeader(RetryTopics.TOPIC) == null ? 0 : 1;
            appendToMain(flows.get(next), record.value(), new RecordHeaders(record.headers()));
        }
    }

    private static void end(Flow flow, Known known) {
        if (known.origin != null) {
            flow.ended.put(known.origin, true);
        }
    }

    private void fail(Input from, Stored stored, ConsumerRecord<byte[], byte[]> record) {
        Flow flow = from.flow;
        boolean retriable = random.nextInt(5) > 0;
        int attempts = 1 + random.nextInt(3);
        // Another program wrote the record directly to the retry topic, so it starts with the first tier.
        int tiers = stored.known.origin == null ? 0 : from.tiers;
        int next = tiers + 1;
        boolean again = retriable && next < flow.topics.size();
        int tooLarge = again && random.nextInt(10) == 0 ? 1 : 0;
        again &= tooLarge == 0;
        ProducerRecord<byte[], byte[]> to = flow.route.propose(
                new FailedRecord(
                        record, FailedRecord.Reason.HANDLER, new IllegalStateException("drawn"), attempts, retriable),
                tooLarge);
        String right = again ? flow.topics.get(next) : flow.dead();
        if (!to.topic().equals(right)) {
            throw new Violation(stored.record.topic() + "@" + stored.record.offset() + " has been in " + tiers
                    + " retry topics and goes to " + to.topic() + " instead of " + right);
        }
        int all = stored.known.attempts + attempts;
        String origin = stored.known.origin != null ? stored.known.origin : from.id + "@" + stored.record.offset();
        if (again) {
            checkRetry(flow, to, all);
            append(partitionOf(to.topic()), to.value(), new RecordHeaders(to.headers()), new Known(origin, all));
        } else {
            checkDeadLetter(to, origin, all);
            end(flow, stored.known);
        }
    }

    private static void checkRetry(Flow flow, ProducerRecord<byte[], byte[]> to, int attempts) {
        ConsumerRecord<byte[], byte[]> read = read(to);
        long due = RecordOrigin.dueMillis(read);
        long delay = Objects.requireNonNull(flow.delays.get(to.topic()));
        if (due != to.timestamp() + delay) {
            throw new Violation(to.topic() + " is due after " + (due - to.timestamp()) + " ms instead of " + delay);
        }
        checkAttempts(to.topic(), RecordOrigin.number(read, RetryTopics.ATTEMPTS, -1), attempts);
    }

    private static void checkDeadLetter(ProducerRecord<byte[], byte[]> to, String origin, int attempts) {
        DeadLetterRecord deadLetter = DeadLetterRecord.read(read(to));
        String place = deadLetter.topic() + "-" + deadLetter.partition() + "@" + deadLetter.offset();
        if (!place.equals(origin)) {
            throw new Violation("the dead-letter record of " + origin + " names " + place);
        }
        checkAttempts(
                to.topic(),
                Long.parseLong(Objects.requireNonNull(deadLetter.header(DeadLetterHeaders.ATTEMPTS))),
                attempts);
    }

    private static void checkAttempts(String topic, long told, int attempts) {
        if (told != attempts) {
            throw new Violation("a record of " + topic + " counts " + told + " attempts instead of " + attempts);
        }
    }

    private static ConsumerRecord<byte[], byte[]> read(ProducerRecord<byte[], byte[]> written) {
        return new ConsumerRecord<>(
                written.topic(),
                0,
                0,
                written.timestamp() == null ? ConsumerRecord.NO_TIMESTAMP : written.timestamp(),
                TimestampType.CREATE_TIME,
                0,
                0,
                written.key(),
                written.value(),
                written.headers(),
                Optional.empty());
    }
}
