package dev.weir.checks.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks the central repository's demands on POMs: name, description, URL, licence, developers, source control,
 * released dependencies, and no repositories.
 */
class PomsTest {

    /** Elements required by the central repository, as paths below the project. */
    private static final List<String[]> DEMANDED = List.of(
            new String[] {"url"},
            new String[] {"licenses", "license", "name"},
            new String[] {"licenses", "license", "url"},
            new String[] {"developers", "developer", "name"},
            new String[] {"developers", "developer", "organization"},
            new String[] {"developers", "developer", "organizationUrl"},
            new String[] {"scm", "connection"},
            new String[] {"scm", "developerConnection"},
            new String[] {"scm", "url"});

    private static final Pom PARENT = Pom.parent();
    private static final Pom BOM = Pom.of(Published.ROOT.resolve("weir-bom/pom.xml"));

    private static Set<String> published() {
        return Arrays.stream(Published.values()).map(Published::artifact).collect(Collectors.toSet());
    }

    @Test
    void modules_thatSayTheyArePublished_areThoseKnownHere() {
        assertThat(Pom.allOfTheBuild().stream()
                        .filter(pom ->
                                pom.child("properties", "weir.unpublished").equals("false"))
                        .map(pom -> pom.child("artifactId")))
                .containsExactlyInAnyOrderElementsOf(published());
        assertThat(PARENT.child("properties", "weir.unpublished")).isEqualTo("true");
    }

    /** The BOM has no parent, so no setting skips its deployment. */
    @Test
    void deploy_skipsWhatIsUnpublished_butNotTheParent() {
        assertThat(PARENT.child("properties", "maven.deploy.skip")).isEqualTo("${weir.unpublished}");
        assertThat(PARENT.all("build", "plugins", "plugin"))
                .filteredOn(plugin -> Pom.text(plugin, "artifactId").equals("maven-deploy-plugin"))
                .singleElement()
                .satisfies(plugin -> {
                    assertThat(Pom.text(plugin, "inherited")).isEqualTo("false");
                    assertThat(Pom.text(Pom.children(plugin, "configuration").get(0), "skip"))
                            .isEqualTo("false");
                });
        for (Pom pom : Pom.allOfTheBuild()) {
            if (!pom.toString().equals("pom.xml")) {
                assertThat(pom.child("properties", "maven.deploy.skip"))
                        .as("%s", pom)
                        .isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void module_saysItsNameAndWhatItIs_andLeavesTheRestToTheParent(Published module) {
        Pom pom = module.pom();
        assertThat(pom.child("artifactId")).isEqualTo(module.artifact());
        assertThat(pom.child("name")).isNotBlank();
        assertThat(pom.child("description")).isNotBlank();
        assertThat(pom.child("parent", "artifactId")).isEqualTo(PARENT.child("artifactId"));
        for (String own : List.of("url", "licenses", "developers", "scm")) {
            assertThat(pom.all(own)).as(own).isEmpty();
        }
    }

    @Test
    void parentAndBom_haveWhatIsDemanded_andTheSame() {
        for (Pom pom : List.of(PARENT, BOM)) {
            assertThat(pom.child("name")).as(pom + ": name").isNotBlank();
            assertThat(pom.child("description")).as(pom + ": description").isNotBlank();
            assertThat(pom.child("packaging")).isEqualTo("pom");
        }
        for (String[] place : DEMANDED) {
            assertThat(PARENT.child(place)).as(String.join("/", place)).isNotBlank();
            assertThat(BOM.child(place)).as(String.join("/", place)).isEqualTo(PARENT.child(place));
        }
        for (String same : List.of("weir.url", "project.build.outputTimestamp")) {
            assertThat(BOM.child("properties", same)).as(same).isNotBlank().isEqualTo(PARENT.child("properties", same));
        }
        assertThat(BOM.child("version")).isEqualTo(PARENT.child("version"));
    }

    /** By default, Maven appends each module's name to inherited addresses. */
    @Test
    void addresses_ofTheParent_areThoseOfItsModules() {
        assertThat(PARENT.attribute("child.project.url.inherit.append.path")).isEqualTo("false");
        for (String address : List.of("connection", "developerConnection", "url")) {
            assertThat(PARENT.attribute("child.scm." + address + ".inherit.append.path", "scm"))
                    .as(address)
                    .isEqualTo("false");
        }
    }

    @Test
    void bom_namesWhatIsPublished_andNothingElse() {
        var managed = BOM.all("dependencyManagement", "dependencies", "dependency");
        assertThat(managed)
                .extracting(dependency -> Pom.text(dependency, "artifactId"))
                .containsExactlyInAnyOrderElementsOf(published());
        assertThat(managed)
                .allSatisfy(dependency ->
                        assertThat(Pom.text(dependency, "version")).isEqualTo("${project.version}"));
        assertThat(BOM.all("parent")).as("whose versions would come along").isEmpty();
    }

    /** Users must be able to resolve a module's dependencies. */
    @ParameterizedTest
    @EnumSource
    void module_needsNoneThatIsNotPublished(Published module) {
        assertThat(module.pom().all("dependencies", "dependency").stream()
                        .filter(dependency -> Pom.text(dependency, "groupId").equals("dev.weir"))
                        .filter(dependency -> !Pom.text(dependency, "scope").equals("test"))
                        .map(dependency -> Pom.text(dependency, "artifactId")))
                .isSubsetOf(published());
    }

    @Test
    void poms_nameNoRepository_andNoSnapshotOfOthers() {
        for (Pom pom : Pom.allOfTheBuild()) {
            for (String place : List.of("repositories", "pluginRepositories", "distributionManagement")) {
                assertThat(pom.all(place)).as(pom + ": " + place).isEmpty();
            }
        }
        assertThat(PARENT.all("properties"))
                .singleElement()
                .satisfies(all -> assertThat(all.getTextContent()).doesNotContain("SNAPSHOT"));
    }
}
