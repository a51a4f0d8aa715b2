package dev.weir.examples.asimov;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.examples.asimov.OutputLedger.Summary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class OutputLedgerTest {
    private static final int EVENTS = 20_000;
    private static final EventGenerator GENERATOR = new EventGenerator(5);

    private final OutputLedger ledger = new OutputLedger(GENERATOR, EVENTS);

    /** Returns, in order, the numbers of all events for one of the two topics. */
    private static List<Long> numbers(boolean malformed) {
        return new ArrayList<>(LongStream.range(0, EVENTS)
                .filter(i -> GENERATOR.malformed(i).isPresent() == malformed)
                .boxed()
                .toList());
    }

    private static ConsumerRecord<byte[], byte[]> read(long number) {
        return read(number, GENERATOR.session(number));
    }

    private static ConsumerRecord<byte[], byte[]> read(long number, int session) {
        ProducerRecord<byte[], byte[]> made = GENERATOR.record("out", number);
        return new ConsumerRecord<>(
                "out",
                0,
                0,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                GENERATOR.key(session),
                new byte[0],
                made.headers(),
                Optional.empty());
    }

    private Summary book(List<Long> outputs, List<Long> deadLetters) {
        outputs.forEach(number -> ledger.output(read(number)));
        deadLetters.forEach(number -> ledger.deadLetter(read(number)));
        return ledger.summary();
    }

    /** Returns the indices, within {@code numbers}, of the first two nearby events of one session. */
    private static int[] pairOfOneSession(List<Long> numbers) {
        for (int first = 0; first < numbers.size(); first++) {
            for (int second = first + 1; second < Math.min(numbers.size(), first + 50); second++) {
                if (GENERATOR.session(numbers.get(first)) == GENERATOR.session(numbers.get(second))) {
                    return new int[] {first, second};
                }
            }
        }
        throw new AssertionError("no session twice within 50 events");
    }

    @Test
    void summary_everythingInPlace_isFlawless() {
        Summary summary = book(numbers(false), numbers(true));

        int dead = numbers(true).size();
        assertThat(dead).isPositive();
        assertThat(summary).isEqualTo(new Summary(EVENTS, EVENTS - dead, dead, 0, 0, 0, 0, 0));
        assertThat(summary.flawless()).isTrue();
    }

    @Test
    void summary_lossesInBothTopics_areCounted() {
        List<Long> outputs = numbers(false);
        List<Long> deadLetters = numbers(true);
        outputs.subList(100, 103).clear();
        deadLetters.removeFirst();

        Summary summary = book(outputs, deadLetters);

        assertThat(summary.lost()).isEqualTo(4);
        assertThat(summary.outOfOrder()).isZero();
        assertThat(summary.flawless()).isFalse();
    }

    @Test
    void summary_redeliveredStretch_isDuplicatesNotDisorder() {
        List<Long> outputs = numbers(false);
        outputs.addAll(200, List.copyOf(outputs.subList(150, 200)));

        Summary summary = book(outputs, numbers(true));

        assertThat(summary.duplicates()).isEqualTo(50);
        assertThat(summary.outOfOrder()).isZero();
        assertThat(summary.lost()).isZero();
        assertThat(summary.flawless()).isFalse();
    }

    @Test
    void summary_swapWithinSession_isOneOutOfOrder() {
        List<Long> outputs = numbers(false);
        int[] pair = pairOfOneSession(outputs);
        Collections.swap(outputs, pair[0], pair[1]);

        Summary summary = book(outputs, numbers(true));

        assertThat(summary.outOfOrder()).isPositive();
        assertThat(summary.duplicates()).isZero();
        assertThat(summary.lost()).isZero();
        assertThat(summary.flawless()).isFalse();
    }

    @Test
    void summary_swapAcrossSessions_isInOrder() {
        List<Long> outputs = numbers(false);
        int first = 0;
        while (GENERATOR.session(outputs.get(first)) == GENERATOR.session(outputs.get(first + 1))) {
            first++;
        }
        Collections.swap(outputs, first, first + 1);

        assertThat(book(outputs, numbers(true)).flawless()).isTrue();
    }

    @Test
    void summary_wrongTopicOrKey_isMisplaced() {
        List<Long> outputs = numbers(false);
        List<Long> deadLetters = numbers(true);
        deadLetters.addFirst(outputs.removeFirst());
        long strayed = outputs.removeLast();
        ledger.output(read(strayed, (GENERATOR.session(strayed) + 1) % EventGenerator.SESSIONS));

        Summary summary = book(outputs.subList(0, 0), deadLetters);

        assertThat(summary.misplaced()).isEqualTo(2);
        assertThat(summary.flawless()).isFalse();
    }

    @Test
    void summary_sameEventInBothTopics_isDuplicate() {
        List<Long> deadLetters = numbers(true);
        deadLetters.add(numbers(false).getFirst());

        assertThat(book(numbers(false), deadLetters).duplicates()).isEqualTo(1);
    }

    @Test
    void summary_recordsOfAnotherRun_areForeign() {
        ledger.output(read(EVENTS));
        ledger.output(new ConsumerRecord<>("out", 0, 0, new byte[0], new byte[0]));

        assertThat(ledger.summary().foreign()).isEqualTo(2);
        assertThat(ledger.summary().lost()).isEqualTo(EVENTS);
    }

    @Test
    void ledger_negativeCount_isRefused() {
        assertThatThrownBy(() -> new OutputLedger(GENERATOR, -1)).hasMessageContaining("eventsIn=-1");
    }
}
