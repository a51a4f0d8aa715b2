package dev.weir.command.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the wording of the library's messages for the command line. */
class OptionNamesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "say startAt(EARLIEST) or startAt(LATEST), or set x | say --share-from earliest or --share-from latest, or set x",
                "memberName must have 1 to 9 characters: memberName=x | --share-member must have 1 to 9 characters: --share-member=x",
                "more than maxBatchBytes=9 bytes; raise maxBatchBytes or skip the batch | more than --max-batch-bytes=9 bytes; raise --max-batch-bytes or skip the batch",
                "raise maxBatchBytes if it is too large, or set unreadableBatches to SKIP, or to DEAD_LETTER | raise --max-batch-bytes if it is too large, or set --unreadable-batches to skip, or to dead-letter",
                "double maxOutstandingRecords | double weir.max.outstanding.records",
                "fetchThreads=2 needs it; set fetch(FetchPath.LEAN), or leave fetchThreads out | weir.fetch.threads=2 needs it; set --fetch lean, or leave weir.fetch.threads out",
                "no transactions; set produce(ProducePath.CLIENT), or use KafkaSource.atLeastOnce | no transactions; set --produce client, or use --guarantee at-least-once",
                "raise x of the brokers, or allow fewer share consumers (ShareSettings.maxLanes) (y) | raise x of the brokers (y)",
                "my.bufferBytes=1 of com.acme.outOfRangeHandler | my.bufferBytes=1 of com.acme.outOfRangeHandler"
            })
    void javaNames_areThoseOfOptionsAndKeys(String java, String said) {
        assertThat(OptionNames.in(java)).isEqualTo(said);
    }

    /** A setting added to files must also get a name here. */
    @Test
    void eachSettingOfAConsumerThatAFileHas_isNamedByItsKey() {
        Set<String> others = Set.of(
                "fetch",
                "properties",
                "keyDeserializer",
                "valueDeserializer",
                "connectTimeout",
                "rebalanceListener",
                "commitMetadata");
        assertThat(Arrays.stream(ConsumerSettings.class.getDeclaredClasses())
                        .filter(Class::isRecord)
                        .flatMap(type -> Arrays.stream(type.getRecordComponents()))
                        .map(component -> component.getName())
                        .filter(name -> !others.contains(name)))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(OptionNames.in(name + "=1"))
                        .isEqualTo("weir." + name.replaceAll("([A-Z])", ".$1").toLowerCase(Locale.ROOT) + "=1"));
    }

    @Test
    void advice_namesTheKey_andKeepsTheGain() {
        Limiter limiter = OptionNames.in(Limiter.of(Kind.WINDOW, "in", "with 3 records", "double bufferBytes", 2)
                .measured(1.5));
        assertThat(limiter.advice()).isEqualTo("double weir.buffer.bytes");
        assertThat(limiter.measuredGain()).isEqualTo(1.5);
    }
}
