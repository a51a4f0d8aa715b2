package dev.weir.console.profile;

import dev.weir.console.internal.profile.FlamePage;
import dev.weir.console.internal.profile.ProfileJson;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The CPU time of a process, divided among the stages of its pipelines. The shares of Weir's own code, the Kafka
 * client, other code and all stages add up to 1, unless there were no samples. Immutable.
 */
public final class Profile {

    private final Values values;

    private Profile(
            Duration time,
            String sampler,
            long samples,
            long lost,
            double engineShare,
            double clientShare,
            double otherShare,
            List<StageProfile> stages,
            Flame cpu,
            Flame allocation,
            Flame blocked) {
        this.values = new Values(
                time, sampler, samples, lost, engineShare, clientShare, otherShare, stages, cpu, allocation, blocked);
    }

    /** Creates a profile, for tests of code that reads profiles. */
    public static Profile of(
            Duration time,
            String sampler,
            long samples,
            long lost,
            double engineShare,
            double clientShare,
            double otherShare,
            List<StageProfile> stages,
            Flame cpu,
            Flame allocation,
            Flame blocked) {
        return new Profile(
                time, sampler, samples, lost, engineShare, clientShare, otherShare, stages, cpu, allocation, blocked);
    }

    /** The duration of the recording. */
    public Duration time() {
        return values.time;
    }

    /** The JDK event used to sample threads: {@code jdk.CPUTimeSample} or {@code jdk.ExecutionSample}. */
    public String sampler() {
        return values.sampler;
    }

    /** The number of samples. */
    public long samples() {
        return values.samples;
    }

    /** The number of lost samples. */
    public long lost() {
        return values.lost;
    }

    /** The share of samples in Weir's own code, excluding the user functions that it calls. */
    public double engineShare() {
        return values.engineShare;
    }

    /** The share of samples in the Kafka client. */
    public double clientShare() {
        return values.clientShare;
    }

    /** The share of samples in all other code, such as the application's own threads. */
    public double otherShare() {
        return values.otherShare;
    }

    /** The stages that have worked, largest share first. */
    public List<StageProfile> stages() {
        return values.stages;
    }

    /** The flame graph of the CPU samples. */
    public Flame cpu() {
        return values.cpu;
    }

    /** The flame graph of allocations, in bytes. */
    public Flame allocation() {
        return values.allocation;
    }

    /** The flame graph of waits, in milliseconds. */
    public Flame blocked() {
        return values.blocked;
    }

    /**
     * Returns a JSON object with the fields that {@code weir profile --json} prints, and the flame graphs in
     * {@code flames}.
     */
    public String toJson() {
        return ProfileJson.text(this);
    }

    /** Returns a self-contained HTML page with the flame graphs, which needs neither the network nor other files. */
    public String toHtml() {
        return htmlOf(toJson());
    }

    /**
     * Returns a page like {@link #toHtml} for a profile of another process, which is given as JSON from {@link #toJson}
     * or {@code /api/profile}.
     */
    public static String htmlOf(String profileJson) {
        return FlamePage.of(Objects.requireNonNull(profileJson, "profileJson"));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Profile that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "Profile");
    }

    private record Values(
            Duration time,
            String sampler,
            long samples,
            long lost,
            double engineShare,
            double clientShare,
            double otherShare,
            List<StageProfile> stages,
            Flame cpu,
            Flame allocation,
            Flame blocked) {}
}
