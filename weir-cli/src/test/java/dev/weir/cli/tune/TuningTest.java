package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.cli.console.Endpoints;
import dev.weir.cli.metrics.MetricsOption;
import dev.weir.command.console.ConsoleOption;
import dev.weir.command.terminal.ExitCode;
import dev.weir.console.tune.Tuner;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.AsimovRecords;
import dev.weir.examples.asimov.AsimovTranslator;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Tests tuning of planted pipelines with a real broker. */
@Timeout(180)
class TuningTest {
    private static final int NONE = -1;

    private final CommandHarness harness = new CommandHarness();

    @Test
    void settingWithWhichOneRecordIsWrittenOtherwise_failsTheRun_andSaysSo() throws InterruptedException {
        int code = tuned(new Planted(7));

        assertThat(code).as(harness.err()).isEqualTo(ExitCode.FAILED);
        assertThat(harness.out().lines().toList().getLast())
                .contains(
                        "\"outputs_equal\":false",
                        "\"error\":\"with the best setting 1 of 2,000 outputs differ from those of the first draft\"");
    }

    @Test
    void settingWithWhichAllIsWrittenAsBefore_isDone() throws InterruptedException {
        int code = tuned(new Planted(NONE));

        assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
        assertThat(harness.out().lines().toList().getLast()).contains("\"outputs_equal\":true", "\"steps\":2,");
    }

    private int tuned(Example example) throws InterruptedException {
        TuneOption option = CommandLine.populateCommand(new TuneOption(), "--tune", "--waiting");
        Tuner.Builder tuner = Tuner.builder().window(Duration.ofMillis(300)).maxSteps(2);
        try (Endpoints none = Endpoints.start(harness.weir, true, new ConsoleOption(), new MetricsOption())) {
            return new Tuning(harness.weir, option, option.events(2_000), 42, true).run(example, tuner, none);
        }
    }

    /**
     * A stage that waits, and may change one event.
     *
     * @param changed the number of the changed event; {@link #NONE} for none
     */
    private record Planted(long changed) implements Example {

        private static final Semaphore NEVER = new Semaphore(0);

        @Override
        public String draft() {
            return "one that changes " + changed;
        }

        @Override
        public EventGenerator traffic(long seed) {
            return new EventGenerator(seed);
        }

        @Override
        public List<String> stages() {
            return List.of("wait");
        }

        @Override
        public Pipeline pipeline(
                Map<String, Long> settings,
                ConsumerSettings.Builder<byte[], byte[]> consumer,
                ProducerSettings.Builder<byte[], byte[]> producer) {
            int workers = settings.getOrDefault("stage.wait.parallelism", 2L).intValue();
            return pipeline(workers, 1, changed, consumer, producer);
        }

        @Override
        public Pipeline reference(
                ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer) {
            return pipeline(2, 0, NONE, consumer, producer);
        }

        private static Pipeline pipeline(
                int workers,
                int waitMillis,
                long changed,
                ConsumerSettings.Builder<byte[], byte[]> consumer,
                ProducerSettings.Builder<byte[], byte[]> producer) {
            AsimovTranslator translator = new AsimovTranslator();
            return KafkaSource.from(consumer.maxOutstandingRecords(64).build(), AsimovPipeline.EVENTS)
                    .atLeastOnce()
                    .mapBlocking(workers, Ordering.input(), event -> {
                        boolean ignored = NEVER.tryAcquire(waitMillis, TimeUnit.MILLISECONDS);
                        return written(translator, event, changed);
                    })
                    .named("wait")
                    .to(KafkaSink.with(producer.build()).records());
        }

        private static ProducerRecord<byte[], byte[]> written(
                AsimovTranslator translator, ConsumerRecord<byte[], byte[]> event, long changed) {
            ProducerRecord<byte[], byte[]> output = AsimovRecords.toProduce(
                    event, translator.translate(event.value()), AsimovPipeline.PAGE_VIEWS, AsimovPipeline.DEAD_LETTERS);
            if (EventGenerator.sequence(event.headers()) == changed) {
                output.headers().add("changed", new byte[0]);
            }
            return output;
        }
    }
}
