package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import org.junit.jupiter.api.Test;

/** Checks that each rule reports the violation planted for it and accepts the correct class next to it. */
class HouseRulesTest {

    private static final JavaClasses PLANTED = new ClassFileImporter().importPackages("planted");

    private final HouseRules rules = new HouseRules("planted");

    @Test
    void moduleEdge_upwards_isFound() {
        assertFinds(rules.usesOnlyModulesBelow(WeirModule.STREAM), "stream.ReachesUp", "kafka.Inner");
        assertFinds(rules.usesOnlyModulesBelow(WeirModule.KAFKA), "kafka.ReachesUp", "cli.Prints");
        assertThat(rules.usesOnlyModulesBelow(WeirModule.CLI).evaluate(PLANTED).hasViolation())
                .isFalse();
    }

    @Test
    void kafkaInStream_isFound() {
        assertFinds(rules.streamKnowsNothingOfKafka(), "stream.ReachesUp", "TopicPartition");
    }

    @Test
    void internalTouchedFromOutside_isFound() {
        assertFinds(rules.internalsAreNotTouched(WeirModule.KAFKA), "stream.ReachesUp", "kafka.internal.Hidden");
        assertThat(rules.internalsAreNotTouched(WeirModule.STREAM)
                        .evaluate(PLANTED)
                        .hasViolation())
                .isFalse();
    }

    @Test
    void internalTypeInAPublicSignature_isFound() {
        EvaluationResult result = rules.publicSignaturesNameNoInternalType().evaluate(PLANTED);
        assertThat(result.getFailureReport().getDetails())
                .hasSize(4)
                .anyMatch(line -> line.contains("kafka.Leaks.result"))
                .anyMatch(line -> line.contains("kafka.Leaks.argument"))
                .anyMatch(line -> line.contains("kafka.Leaks.field"))
                .anyMatch(line -> line.startsWith("planted.kafka.Leaks names"));
    }

    @Test
    void printingOrExiting_isFound() {
        EvaluationResult result = rules.onlyTheCommandPrintsOrExits().evaluate(PLANTED);
        assertThat(result.getFailureReport().getDetails())
                .hasSize(5)
                .allMatch(line -> line.contains("planted.testkit.Talks."))
                .noneMatch(line -> line.contains("planted.cli"));
    }

    @Test
    void sleeping_isFound() {
        assertThat(rules.nobodySleeps().evaluate(PLANTED).getFailureReport().getDetails())
                .hasSize(3)
                .allMatch(line -> line.contains("planted.testkit.Sleeps."));
    }

    @Test
    void waitPastTheClock_isFound() {
        assertFinds(rules.stagesWaitByTheClock(), "stream.internal.Waits", "awaitNanos");
    }

    @Test
    void loggerOfTheJdk_isFound() {
        assertFinds(rules.libraryLogsThroughSlf4j(), "testkit.Talks", "getLogger");
    }

    @Test
    void synchronizedMethod_isFound() {
        assertFinds(rules.noMethodIsSynchronized(), "testkit.Sleeps", "inTurn");
    }

    @Test
    void messageThatMayBeNull_isFound() {
        assertFinds(rules.messagesOfOthersAreReadByOneMethod(), "stream.internal.Quotes", "getMessage");
    }

    @Test
    void nothingToJudge_isAFailure() {
        JavaClasses nothing = new ClassFileImporter().importPackages("planted.absent");
        assertThatThrownBy(() -> rules.nobodySleeps().check(nothing)).isInstanceOf(AssertionError.class);
    }

    private static void assertFinds(ArchRule rule, String culprit, String detail) {
        EvaluationResult result = rule.evaluate(PLANTED);
        assertThat(result.hasViolation()).isTrue();
        assertThat(result.getFailureReport().getDetails())
                .isNotEmpty()
                .allMatch(line -> line.contains("planted." + culprit))
                .anyMatch(line -> line.contains(detail));
    }
}
