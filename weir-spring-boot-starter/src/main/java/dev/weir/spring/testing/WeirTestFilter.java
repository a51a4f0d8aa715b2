package dev.weir.spring.testing;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out the components that a scan finds. Confined to Spring's test framework. */
final class WeirTestFilter extends StandardAnnotationCustomizableTypeExcludeFilter<WeirTest> {

    WeirTestFilter(Class<?> testClass) {
        super(testClass);
    }
}
