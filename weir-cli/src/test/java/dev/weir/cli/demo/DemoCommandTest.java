package dev.weir.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.AsimovRecords;
import dev.weir.examples.asimov.AsimovTranslator;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Pipeline;
import java.util.Collections;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class DemoCommandTest {

    private static final int RECORDS = 2000;
    private static final long LOST = 7;
    private static final long DOUBLED = 8;

    private final CommandHarness harness = new CommandHarness();

    @ParameterizedTest
    @CsvSource({
        "--records=0, '1 to 100,000,000'",
        "--seconds=86401, '1 to 86,400'",
        "--rate=-1, '1 to 1,000,000'",
        "--seed=x, long",
        "--records=many, int"
    })
    void badValue_isOneLineThatNamesOptionAndBounds(String option, String allowed) {
        assertThat(harness.run("demo", option)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err().lines())
                .hasSize(1)
                .first()
                .asString()
                .contains(option.substring(0, option.indexOf('=')), allowed);
        assertThat(harness.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--tune --records=1999, '--records must be 2,000 to 500,000 with --tune'",
        "--tune --records=500001, '--records must be 2,000 to 500,000 with --tune'",
        "--tune --waiting --records=1999, '--records must be 2,000 to 500,000 with --tune'",
        "--waiting, '--waiting goes with --tune'",
        "--tune --metrics=0, '--tune does not go with --seconds, --rate and --metrics'"
    })
    void tune_withWhatDoesNotBelongToIt_isRefused(String options, String message) {
        String[] line = ("demo " + options).split(" ", -1);

        assertThat(harness.run(line)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains(message);
        assertThat(harness.out()).isEmpty();
    }

    /** Given a pipeline that loses, duplicates and reorders records: the verdict must count each fault. */
    @Test
    void faultyPipeline_exitsWithOneAndCountsItsFaults() {
        CommandLine line = new CommandLine(harness.weir, new CommandLine.IFactory() {
            @Override
            public <K> K create(Class<K> type) throws Exception {
                return type == DemoCommand.class
                        ? type.cast(new DemoCommand((consumer, producer, onDeadLetter) -> faulty(consumer, producer)))
                        : CommandLine.defaultFactory().create(type);
            }
        });

        int code = harness.run(line, "demo", "--records=" + RECORDS, "--json", "--no-console");

        assertThat(code).as(harness.err()).isEqualTo(ExitCode.FAILED);
        EventGenerator generator = new EventGenerator(42);
        long malformed = LongStream.range(0, RECORDS)
                .filter(index -> generator.malformed(index).isPresent())
                .count();
        assertThat(malformed).isPositive();
        assertThat(harness.out().lines())
                .hasSize(1)
                .first()
                .asString()
                .contains(
                        "\"records_in\":" + RECORDS,
                        "\"records_out\":" + RECORDS, // one lost, one twice
                        "\"dead_lettered\":0",
                        "\"lost\":1,",
                        "\"duplicates\":1,",
                        "\"out_of_order\":0",
                        "\"misplaced\":" + malformed + ",");
    }

    private static Pipeline faulty(
            ConsumerSettings<byte[], byte[]> consumer, ProducerSettings<byte[], byte[]> producer) {
        AsimovTranslator translator = new AsimovTranslator();
        return KafkaSource.from(consumer, AsimovPipeline.EVENTS)
                .atLeastOnce()
                .filter(event -> EventGenerator.sequence(event.headers()) != LOST)
                .mapConcat(event ->
                        Collections.nCopies(EventGenerator.sequence(event.headers()) == DOUBLED ? 2 : 1, event))
                .map(event -> AsimovRecords.toProduce(
                        event,
                        translator.translate(event.value()),
                        AsimovPipeline.PAGE_VIEWS,
                        AsimovPipeline.PAGE_VIEWS))
                .to(KafkaSink.with(producer).records());
    }
}
