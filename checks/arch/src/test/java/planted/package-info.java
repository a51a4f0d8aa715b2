/** Planted violations of each house rule, for {@code HouseRulesTest}. Nothing here runs. */
package planted;
