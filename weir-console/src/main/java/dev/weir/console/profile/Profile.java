package dev.weir.console.profile;

import dev.weir.console.internal.profile.FlamePage;
import dev.weir.console.internal.profile.ProfileJson;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Where a process spent its processor's time, by the stages of its pipelines. The shares of engine, client, others and
 * all stages together are 1, unless there was no sample. Immutable.
 *
 * @param time how long it was recorded
 * @param sampler the event of the JDK that was counted: {@code jdk.CPUTimeSample} or {@code jdk.ExecutionSample}
 * @param samples how many there were
 * @param lost how many the JDK could not take
 * @param engineShare the share in Weir's own code, outside functions of users
 * @param clientShare the share in the Kafka client
 * @param otherShare the share of everything else, such as threads of the application
 * @param stages those that have worked, the largest share first
 * @param cpu the stacks of the samples
 * @param allocation the stacks that allocated, by bytes
 * @param blocked the stacks that waited, by milliseconds
 */
public record Profile(
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
}
