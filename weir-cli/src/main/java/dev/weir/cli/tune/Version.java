package dev.weir.cli.tune;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Pipeline;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A version of the pipeline, and how it came about. Confined to the thread of the command. */
interface Version extends AutoCloseable {

    /** The difference from the version before, for people, without a full stop. */
    String change();

    /** The factor by which the rate should rise over that of the version before; 1 for the first one. */
    double expectedGain();

    /** Its blueprint. */
    Pipeline pipeline(
            ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer);

    /**
     * Returns whether its code has to be compiled before its rate means something: not where it waits most of the time.
     */
    default boolean needsWarmPasses() {
        return false;
    }

    /** Returns whether the stages' shares of their thread have to be known for {@link #next}. */
    default boolean needsShares() {
        return false;
    }

    /** The lever turned between the version before and this one: two that turn one lever differ in how far. */
    String lever();

    /**
     * Returns whether it stays if it is as quick as the version before: where it is simpler or needs less, not more.
     */
    default boolean staysWithoutGain() {
        return false;
    }

    /**
     * The version that follows from what was measured of this one; null if nothing is left to do.
     *
     * @param failed levers that were turned from here and brought nothing
     */
    @Nullable
    Version next(Measurement measured, Set<String> failed);

    /** Ends what the version has of its own. */
    @Override
    default void close() {}
}
