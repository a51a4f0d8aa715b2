package dev.weir.console.profile;

import dev.weir.console.internal.profile.FlamePage;
import dev.weir.console.internal.profile.ProfileJson;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The processor time of a process, by the stages of its pipelines. The shares of engine, client, others and all stages
 * together are 1, unless there was no sample. Immutable.
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

    /** For tests of code that reads one. */
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

    /** The event of the JDK that was counted: {@code jdk.CPUTimeSample} or {@code jdk.ExecutionSample}. */
    public String sampler() {
        return values.sampler;
    }

    /** The number of samples. */
    public long samples() {
        return values.samples;
    }

    /** The number of samples the JDK could not take. */
    public long lost() {
        return values.lost;
    }

    /** The share in Weir's own code, outside functions of users. */
    public double engineShare() {
        return values.engineShare;
    }

    /** The share in the Kafka client. */
    public double clientShare() {
        return values.clientShare;
    }

    /** The share of everything else, such as threads of the application. */
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

    /** A page with the flame graphs, which needs nothing else: no network, no further file. */
    public String toHtml() {
        return htmlOf(toJson());
    }

    /** The same page, of a profile that was made elsewhere: what {@link #toJson} or {@code /api/profile} gave. */
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
