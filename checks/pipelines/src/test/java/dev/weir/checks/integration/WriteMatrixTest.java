package dev.weir.checks.integration;

import static dev.weir.checks.integration.WriteCase.COUNT;
import static dev.weir.checks.integration.WriteCase.FAULT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.integration.WriteRun.Ended;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducePath;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests every way to write under every event, on each produce path: the written records, the finished inputs, and the
 * end of the run.
 */
@Timeout(120)
class WriteMatrixTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("auto.create.topics.enable", "false")
            .brokerConfig("group.share.delivery.count.limit", "2")
            .brokerConfig("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
            .brokerConfig("allow.everyone.if.no.acl.found", "true"));

    /**
     * The outcomes with Kafka's client. A cell has one outcome, or two: without a rule, and with a rule that leaves
     * records out. Cells in parentheses are long tests. A dash is an impossible combination: encoded records need the
     * lean path, a sink without transactions cannot be fenced, only results and single sends can share a producer, and
     * a single send has no run to cancel.
     */
    private static final String CLIENT = """
            event                  | sink        | routed      | results     | encoded | transactional | exactly-once | dead-letter | retry-topic | parked-copy | sender
            record-refused         | (fails/out) | (fails/out) | (fails/out) | -       | fails/out     | (fails/out)  | (waits)     | (waits)     | waits       | (own)
            unserialisable         | (fails/out) | (fails/out) | (fails/out) | -       | (fails/out)   | (fails/out)  | (waits)     | (waits)     | (waits)     | (own)
            too-large-for-client   | (fails/out) | (fails/out) | (fails/out) | -       | (fails/out)   | (fails/out)  | (cut)       | (next)      | (cut)       | (own)
            too-large-for-broker   | (fails/out) | (fails/out) | (fails/out) | -       | (fails/out)   | fails/out    | (cut)       | next        | (cut)       | (own)
            too-large-within-batch | fails/out   | (fails/out) | (fails/out) | -       | (fails/out)   | (fails/out)  | (cut)       | (next)      | (cut)       | (own)
            too-large-for-batch    | (all/all)   | (all/all)   | all/all     | -       | (all/all)     | (all/all)    | (all)       | (all)       | (all)       | (all)
            topic-missing          | (fails/out) | (fails/out) | (fails/out) | -       | (fails/out)   | (fails/out)  | refused     | (refused)   | (refused)   | (own)
            topic-forbidden        | (fails/out) | (fails/out) | (fails/out) | -       | (fails/out)   | (fails/out)  | (waits)     | (waits)     | (waits)     | own
            topic-deleted          | (ends)      | (ends)      | (ends)      | -       | (ends)        | (ends)       | waits       | (waits)     | (waits)     | (own)
            topic-recreated        | (ends)      | (ends)      | (ends)      | -       | ends          | (ends)       | (all)       | (all)       | (all)       | (all)
            timeout                | fails       | (fails)     | (fails)     | -       | (all)         | (all)        | (all)       | (all)       | (all)       | (own)
            broker-lost            | (all)       | (all)       | (all)       | -       | (all)         | (all)        | (all)       | (all)       | all         | (all)
            fenced                 | -           | -           | -           | -       | ends          | (all)        | -           | -           | -           | -
            client-dead            | (ends)      | (ends)      | (ends)      | -       | (ends)        | (ends)       | (ends)      | (ends)      | ends        | (own)
            neighbour-refused      | -           | -           | all         | -       | -             | -            | -           | -           | -           | (own)
            cancelled              | (stops)     | (stops)     | stops       | -       | (stops)       | (stops)      | (stops)     | (stops)     | (stops)     | -
            drained                | (all)       | (all)       | (all)       | -       | (all)         | all          | (all)       | (all)       | (all)       | (all)
            """;

    /**
     * The outcomes with a lean producer. An exactly-once flow always writes with Kafka's client, and here fetches on
     * the lean path. Additional dashes: a lean producer has no transactions, an encoder calls no serializer, and user
     * code cannot end a lean producer's thread.
     */
    private static final String LEAN = """
            event                  | sink        | routed      | results     | encoded     | transactional | exactly-once | dead-letter | retry-topic | parked-copy | sender
            record-refused         | (fails/out) | (fails/out) | (fails/out) | fails/out   | -             | (fails/out)  | (waits)     | (waits)     | (waits)     | (own)
            unserialisable         | fails/out   | (fails/out) | (fails/out) | -           | -             | (fails/out)  | (waits)     | (waits)     | (waits)     | (own)
            too-large-for-client   | (fails/out) | fails/out   | (fails/out) | (fails/out) | -             | (fails/out)  | (cut)       | (next)      | (cut)       | (own)
            too-large-for-broker   | (fails/out) | (fails/out) | (fails/out) | (fails/out) | -             | (fails/out)  | cut         | (next)      | (cut)       | (own)
            too-large-within-batch | (fails/out) | (fails/out) | fails/out   | (fails/out) | -             | (fails/out)  | (cut)       | (next)      | (cut)       | (own)
            too-large-for-batch    | (all/all)   | (all/all)   | (all/all)   | (all/all)   | -             | (all/all)    | (all)       | (all)       | (all)       | (all)
            topic-missing          | (fails/out) | (fails/out) | (fails/out) | (fails/out) | -             | (fails/out)  | (refused)   | (refused)   | (refused)   | (own)
            topic-forbidden        | (fails/out) | (fails/out) | (fails/out) | fails/out   | -             | (fails/out)  | (waits)     | (waits)     | (waits)     | (own)
            topic-deleted          | (ends)      | (ends)      | (ends)      | (ends)      | -             | (ends)       | (waits)     | (waits)     | (waits)     | (waits)
            topic-recreated        | (ends)      | (ends)      | (ends)      | (ends)      | -             | (ends)       | (all)       | (all)       | (all)       | (all)
            timeout                | (fails)     | (fails)     | (fails)     | (fails)     | -             | (all)        | (all)       | (all)       | (all)       | (own)
            broker-lost            | (all)       | (all)       | (all)       | all         | -             | (all)        | (all)       | (all)       | (all)       | (all)
            fenced                 | -           | -           | -           | -           | -             | (all)        | -           | -           | -           | -
            client-dead            | -           | -           | -           | -           | -             | (ends)       | -           | -           | -           | -
            neighbour-refused      | -           | -           | (all)       | -           | -             | -            | -           | -           | -           | (own)
            cancelled              | (stops)     | (stops)     | (stops)     | (stops)     | -             | (stops)      | (stops)     | (stops)     | (stops)     | -
            drained                | (all)       | (all)       | (all)       | all         | -             | (all)        | (all)       | (all)       | (all)       | (all)
            """;

    /** Returns the long tests of both tables, or all other cells. */
    private static Stream<Arguments> cells(boolean isLong) {
        List<Arguments> cells = new ArrayList<>();
        for (ProducePath path : ProducePath.values()) {
            List<String[]> rows = (path == ProducePath.CLIENT ? CLIENT : LEAN)
                    .lines()
                    .map(line -> line.split("\\|", -1))
                    .toList();
            for (String[] row : rows.subList(1, rows.size())) {
                for (int column = 1; column < row.length; column++) {
                    String cell = row[column].strip();
                    boolean cellIsLong = cell.startsWith("(");
                    if (!cell.equals("-") && cellIsLong == isLong) {
                        add(cells, constant(row[0]), constant(rows.getFirst()[column]), path, cell);
                    }
                }
            }
        }
        return cells.stream();
    }

    private static void add(List<Arguments> cells, String event, String way, ProducePath path, String cell) {
        String[] outcomes = cell.replaceAll("[()]", "").split("/", -1);
        for (int i = 0; i < outcomes.length; i++) {
            cells.add(Arguments.of(
                    WriteEvent.valueOf(event),
                    WriteWay.valueOf(way),
                    path,
                    i == 1,
                    WriteOutcome.valueOf(constant(outcomes[i]))));
        }
    }

    private static String constant(String word) {
        return word.strip().toUpperCase(Locale.ROOT).replace('-', '_');
    }

    static Stream<Arguments> cells() {
        return cells(false);
    }

    /**
     * Returns all cells that match the regular expression {@code -Dweir.cells=...}, such as {@code FENCED.*CLIENT}; by
     * default all.
     */
    static Stream<Arguments> longCells() {
        Pattern cells = Pattern.compile(System.getProperty("weir.cells", ""));
        return cells(true)
                .filter(cell -> cells.matcher(Arrays.toString(cell.get())).find());
    }

    @ParameterizedTest(name = "{0} {1} {2} rule={3}: {4}")
    @MethodSource("cells")
    void event_onAWayOut_hasTheOutcomeOfTheTable(
            WriteEvent event, WriteWay way, ProducePath path, boolean skips, WriteOutcome expected) throws Exception {
        WriteCase of = new WriteCase(KAFKA.cluster(), event, way, path, skips);
        try {
            check(expected, WriteRun.of(of, expected));
        } finally {
            of.close();
        }
    }

    @ParameterizedTest(name = "{0} {1} {2} rule={3}: {4}")
    @Tag("long")
    @MethodSource("longCells")
    void event_onAWayOutThatTakesLonger_hasTheOutcomeOfTheTable(
            WriteEvent event, WriteWay way, ProducePath path, boolean skips, WriteOutcome expected) throws Exception {
        event_onAWayOut_hasTheOutcomeOfTheTable(event, way, path, skips, expected);
    }

    private static void check(WriteOutcome expected, Ended ended) {
        WriteCase of = ended.of();
        boolean isNewTopic = of.event() == WriteEvent.TOPIC_DELETED || of.event() == WriteEvent.TOPIC_RECREATED;
        // Earlier records were deleted with the topic.
        List<Long> all = LongStream.range(isNewTopic ? FAULT : 0, COUNT).boxed().toList();
        List<Long> others = all.stream().filter(number -> number != FAULT).toList();
        List<Long> written = ended.written();
        long finishedAtMost =
                all.getFirst() + all.stream().takeWhile(written::contains).count();
        switch (expected) {
            case ALL, WAITS, CUT -> {
                assertThat(ended.failure()).isNull();
                assertThat(written).isEqualTo(all);
                assertThat(ended.finished()).isEqualTo(COUNT);
                assertThat(ended.cut()).isEqualTo(expected == WriteOutcome.CUT ? List.of((long) FAULT) : List.of());
            }
            case OUT -> {
                assertThat(ended.failure()).isNull();
                assertThat(written).isEqualTo(others);
                assertThat(ended.finished()).isEqualTo(COUNT);
            }
            case NEXT -> {
                assertThat(ended.failure()).isNull();
                assertThat(written).isEqualTo(others);
                assertThat(of.written(of.name() + "-last")).containsExactly((long) FAULT);
                assertThat(ended.finished()).isEqualTo(COUNT);
            }
            case FAILS -> {
                assertThat(ended.failure())
                        .isInstanceOf(ProduceException.class)
                        .hasMessageContaining(of.topicAtFault())
                        .hasMessageContaining(of.name() + "-0@");
                // No later record of the partition is written. A timed-out record may have been written.
                assertThat(written)
                        .allMatch(number ->
                                number < FAULT || of.event().hasOwnTopic() || of.event() == WriteEvent.TIMEOUT);
                assertThat(ended.finished()).isLessThanOrEqualTo(finishedAtMost);
            }
            case ENDS, REFUSED -> {
                assertThat(ended.failure()).isInstanceOf(KafkaPipelineException.class);
                assertThat(ended.finished()).isLessThanOrEqualTo(finishedAtMost);
                if (expected == WriteOutcome.REFUSED) {
                    assertThat(ended.failure()).hasMessageContaining(of.out());
                    assertThat(ended.finished()).isZero();
                }
            }
            case OWN -> checkSingleSends(of, written, all.getFirst());
            case STOPS -> assertThat(ended.finished()).isLessThanOrEqualTo(finishedAtMost);
        }
    }

    private static void checkSingleSends(WriteCase of, List<Long> written, long from) {
        assertThat(of.sent()).hasSize(COUNT);
        of.sent().forEach((number, answer) -> {
            if (answer.isCompletedExceptionally()) {
                assertThat(answer.exceptionNow()).isInstanceOf(ProduceException.class);
            } else if (number >= from) {
                assertThat(written).contains(number);
            }
        });
        // The other pipeline's record may be in another batch, and the topic may be recreated in time.
        boolean mayBeWell = of.event() == WriteEvent.NEIGHBOUR_REFUSED || of.event() == WriteEvent.TOPIC_DELETED;
        assertThat(of.sent().values()).anyMatch(answer -> answer.isCompletedExceptionally() || mayBeWell);
    }
}
