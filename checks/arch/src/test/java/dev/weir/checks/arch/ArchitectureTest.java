package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Applies the house rules to the compiled classes of Weir. {@link HouseRulesTest} shows that each rule can fail. */
class ArchitectureTest {

    private static final JavaClasses MAIN = WeirModule.allMainClasses();
    private static final JavaClasses ALL = WeirModule.allClasses();

    private static final Set<String> WITHOUT_CODE =
            Set.of("weir-bom", "weir-dist", "weir-image", "bench/weir-bench-image", "bench/drivers");

    private final HouseRules rules = new HouseRules("dev.weir");

    @Test
    void everyModuleOfTheBuild_isKnownHere() throws IOException {
        List<String> published = WeirModule.foldersOfBuild().stream()
                .filter(folder -> !folder.startsWith("checks/") && !WITHOUT_CODE.contains(folder))
                .toList();
        assertThat(published)
                .containsExactlyElementsOf(
                        Arrays.stream(WeirModule.values()).map(m -> m.folder).toList());
    }

    /** A module without compiled classes would pass all rules. */
    @ParameterizedTest
    @EnumSource
    void everyModuleWithSources_isCompiledInItsOwnPackage(WeirModule module) {
        assertThat(module.mainClasses().isEmpty())
                .as("no main classes though there are sources: run through ./mvnw -pl checks/arch -am")
                .isEqualTo(!module.hasMainSources());
        assertThat(module.testClasses().isEmpty())
                .as("no test classes though there are sources: run without -Dmaven.test.skip")
                .isEqualTo(!module.hasTestSources());
        assertThat(module.mainClasses())
                .filteredOn(type -> !type.getName().equals("module-info"))
                .allSatisfy(type ->
                        assertThat(type.getPackageName() + ".").startsWith("dev.weir." + module.packageName + "."));
    }

    @ParameterizedTest
    @EnumSource
    void module_usesOnlyThoseBelowIt(WeirModule module) {
        rules.usesOnlyModulesBelow(module)
                .allowEmptyShould(!module.hasMainSources())
                .check(ALL);
    }

    @Test
    void stream_knowsNothingOfKafka() {
        rules.streamKnowsNothingOfKafka().check(ALL);
    }

    @ParameterizedTest
    @EnumSource
    void internals_areTouchedByTheirModuleOnly(WeirModule module) {
        rules.internalsAreNotTouched(module).check(ALL);
    }

    @Test
    void publicSignatures_nameNoInternalType() {
        rules.publicSignaturesNameNoInternalType().check(MAIN);
    }

    @Test
    void onlyTheCommand_printsOrExits() {
        rules.onlyTheCommandPrintsOrExits().check(MAIN);
    }

    @Test
    void nobody_sleeps() {
        rules.nobodySleeps().check(ALL);
    }

    @Test
    void library_logsThroughSlf4j() {
        rules.libraryLogsThroughSlf4j().check(MAIN);
    }

    @Test
    void stages_waitByTheClock() {
        rules.stagesWaitByTheClock().check(MAIN);
    }

    @Test
    void messagesOfOthers_areReadByOneMethod() {
        rules.messagesOfOthersAreReadByOneMethod().check(MAIN);
    }

    /** Leaves out tests: a mock may override a synchronized method. */
    @Test
    void noMethod_isSynchronized() {
        rules.noMethodIsSynchronized().check(MAIN);
    }
}
