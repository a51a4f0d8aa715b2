package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.cli.console.ConsoleOption;
import dev.weir.cli.console.Endpoints;
import dev.weir.cli.metrics.MetricsOption;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.AsimovRecords;
import dev.weir.examples.asimov.AsimovTranslator;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Pipeline;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** A tuning with a real broker, of versions that are planted. */
@Timeout(180)
class TuningTest {
    private static final int NONE = -1;

    private final CommandHarness harness = new CommandHarness();

    /** That all steps wrote the same bytes is worth something only if a step that did not is found out. */
    @Test
    void stepThatWritesOneOtherRecord_isTheLast_andSaysSo() throws InterruptedException {
        Planted never = new Planted(NONE, null);
        Planted wrong = new Planted(7, never);

        int code;
        try (Endpoints none = Endpoints.start(harness.weir, true, new ConsoleOption(), new MetricsOption())) {
            code = tuning().run(new Planted(NONE, wrong), none);
        }

        assertThat(code).as(harness.err()).isEqualTo(ExitCode.FAILED);
        List<String> lines = harness.out().lines().toList();
        assertThat(lines).hasSize(3);
        assertThat(lines.getLast())
                .contains(
                        "\"steps\":2",
                        "\"outputs_equal\":false",
                        "\"error\":\"step 2: 1 of 100 outputs differ from those of the first step\"");
    }

    private Tuning tuning() {
        TuneOption option = CommandLine.populateCommand(new TuneOption(), "--tune", "--waiting");
        return new Tuning(harness.weir, option, option.events(100), 42, true);
    }

    /**
     * A version that writes one event otherwise.
     *
     * @param changed its number; {@link #NONE} for none
     * @param following the version that comes next
     */
    private record Planted(long changed, @Nullable Version following) implements Version {

        @Override
        public String change() {
            return "one that changes " + changed;
        }

        @Override
        public String lever() {
            return "planted";
        }

        @Override
        public double expectedGain() {
            return 1;
        }

        @Override
        public Pipeline pipeline(
                ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer) {
            AsimovTranslator translator = new AsimovTranslator();
            return KafkaSource.atLeastOnce(consumer.build(), AsimovPipeline.EVENTS)
                    .map(event -> written(translator, event))
                    .to(KafkaSink.producing(producer.build()));
        }

        private ProducerRecord<byte[], byte[]> written(
                AsimovTranslator translator, ConsumerRecord<byte[], byte[]> event) {
            ProducerRecord<byte[], byte[]> output = AsimovRecords.toProduce(
                    event, translator.translate(event.value()), AsimovPipeline.PAGE_VIEWS, AsimovPipeline.DEAD_LETTERS);
            if (EventGenerator.sequence(event.headers()) == changed) {
                output.headers().add("changed", new byte[0]);
            }
            return output;
        }

        @Override
        public @Nullable Version next(Measurement measured, Set<String> failed) {
            return following;
        }
    }
}
