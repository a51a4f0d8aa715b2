package dev.weir.console.profile;

import dev.weir.console.internal.profile.FlamePage;
import dev.weir.console.internal.profile.ProfileJson;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The processor time of a process by the stages of its pipelines. The shares of engine, client, others and all stages
 * add up to 1, unless there was no sample. Immutable.
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

    /** Creates a profile, for tests of code that reads one. */
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

    /** The recorded time. */
    public Duration time() {
        return values.time;
    }

    /** The JDK event used for sampling: {@code jdk.CPUTimeSample} or {@code jdk.ExecutionSample}. */
    public String sampler() {
        return values.sampler;
    }

    /** The number of samples. */
    public long samples() {
        return values.samples;
    }

    /** The number of samples that the JDK could not take. */
    public long lost() {
        return values.lost;
    }

    /** The share of samples in Weir's own code, outside user functions. */
    public double engineShare() {
        return values.engineShare;
    }

    /** The share of samples in the Kafka client. */
    public double clientShare() {
        return values.clientShare;
    }

    /** The share of samples elsewhere, such as threads of the application. */
    public double otherShare() {
        return values.otherShare;
    }

    /** The stages that have worked, the largest share first. */
    public List<StageProfile> stages() {
        return values.stages;
    }

    /** The stacks of the samples. */
    public Flame cpu() {
        return values.cpu;
    }

    /** The stacks that allocated, by bytes. */
    public Flame allocation() {
        return values.allocation;
    }

    /** The stacks that waited, by milliseconds. */
    public Flame blocked() {
        return values.blocked;
    }

    /** One JSON object: the fields that {@code weir profile --json} prints, and the flame graphs as {@code flames}. */
    public String toJson() {
        return ProfileJson.text(this);
    }

    /** A self-contained page with the flame graphs, which needs neither network nor other files. */
    public String toHtml() {
        return htmlOf(toJson());
    }

    /**
     * A page like {@link #toHtml} for a profile recorded elsewhere, from the output of {@link #toJson} or
     * {@code /api/profile}.
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
